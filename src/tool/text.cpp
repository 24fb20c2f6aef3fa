// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/module_image.h"
#include "tool/cc.h"
#include "tool/options/architecture.h"
#include "tool/options/options.h"
#include "tool/options/settings.h"
#include "tool/tools/toolchain.h"

namespace heddle::tool {

namespace {

const char *argumentText(Argument argument) {
  switch (argument) {
  case Argument::None:
    return "";
  case Argument::Value:
  case Argument::Joined:
    return " <value>";
  case Argument::List:
    return " <value>,...";
  case Argument::Bool:
    return " true|false";
  case Argument::Maybe:
    return "[=<value>]";
  }
  return "";
}

std::string optionLine(const OptionInfo &info) {
  std::string line = "  --" + std::string(info.longName);
  if (info.shortName != info.longName)
    line += ", -" + std::string(info.shortName);
  line += argumentText(info.argument);
  line.append(line.size() < 46 ? 46 - line.size() : 1, ' ');
  return line + std::string(info.help) + "\n";
}

} // namespace

std::string ccHelp() {
  std::string text =
      "Usage: heddle cc [options] <input files>\n"
      "\n"
      "Compiles CUDA C++ for the CPU, with nvcc's options. Each is accepted with one dash "
      "or two, and\nits value in the next word or after '='.\n";
  struct Section {
    Effect effect;
    const char *title;
  };
  for (Section section : {Section{Effect::Used, "Options"},
                          Section{Effect::Passed, "Passed on to the host compiler or linker"},
                          Section{Effect::Accepted, "Accepted, without effect here"},
                          Section{Effect::Refused, "Not supported"}}) {
    text += "\n" + std::string(section.title) + ":\n";
    for (const OptionInfo &info : optionTable())
      if (info.effect == section.effect)
        text += optionLine(info);
  }
  text += "\nAllowed values for --gpu-architecture:\n  native all all-major";
  for (const char *prefix : {"compute_", "sm_"})
    for (unsigned number : knownArchitectures())
      text += std::string(" ") + prefix + std::to_string(number);
  return text + "\n";
}

// CMake, Meson and autoconf scripts look for "nvcc: NVIDIA (R) Cuda compiler driver" and for
// "release X.Y, VX.Y.Z" in this text, some in the fourth of five lines. It says what it is first.
// Caches of compiled code, as PyCUDA's, know the compiler by the text: it changes with images.
std::string toolVersion(const std::string &tool, const std::string &title,
                        const CudaRelease &release) {
  const std::string version = std::string(release.major) + "." + release.minor;
  return "Heddle " HEDDLE_VERSION ", for build systems " + tool + ": NVIDIA (R) " + title +
         "\nCUDA for the CPU: no NVIDIA product, and nothing of NVIDIA's\n"
         "Built with Clang and LLVM 22\n"
         "Cuda compilation tools, release " +
         version + ", V" + version + "." + release.build + "\nBuild cuda_" + version + ".heddle_" +
         HEDDLE_VERSION "_image_" + std::to_string(ImageVersion) + "\n";
}

std::string ccVersion(const Options &options) {
  return toolVersion("nvcc", "Cuda compiler driver", cudaRelease(options));
}

} // namespace heddle::tool
