// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle doctor`: a line for each thing of the machine that Heddle needs or can use. It finds them
// as the runtime, the driver and CUDA's libraries do, so that what it says is what they will find.
#include "base/cache/object_cache.h"
#include "base/cache/version.h"
#include "base/machine/processors.h"
#include "base/messages/missing_library.h"
#include "tool/compile/compile.h"
#include "tool/fortran/fortran_unit.h"
#include "tool/run/run.h"
#include "tool/tools/files.h"
#include "tool/tools/host_parts.h"
#include "tool/tools/toolchain.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

namespace heddle::tool {

namespace {

enum class State {
  There,
  Missing, ///< and needed
  Absent,  ///< and used only by some programs
  Note,
};

struct Finding {
  State state;
  std::string what;
  std::string package = ""; ///< what to install
};

/// Prints the findings, and keeps which packages are to be installed.
class Report {
public:
  void title(const char *text) { printf("\n%s\n", text); }

  void add(const char *name, const Finding &finding) {
    const char *words[] = {"ok", "MISSING", "absent", "-"};
    std::string text = finding.what;
    if (!finding.package.empty())
      text += (text.empty() ? "package " : "; package ") + finding.package;
    printf("  %-8s %-28s %s\n", words[static_cast<int>(finding.state)], name, text.c_str());
    if (finding.state != State::Missing)
      return;
    missing_ += 1;
    if (!finding.package.empty() && packages_.find(" " + finding.package) == packages_.npos)
      packages_ += " " + finding.package;
  }

  int conclude() const {
    if (missing_ == 0)
      puts("\nAll that is needed is there.");
    else if (packages_.empty())
      printf("\n%d of what is needed is missing.\n", missing_);
    else
      printf("\n%d of what is needed is missing; to install: apt-get install%s\n", missing_,
             packages_.c_str());
    return missing_ ? 1 : 0;
  }

private:
  int missing_ = 0;
  std::string packages_;
};

Finding fileFinding(const std::string &path) {
  return isFile(path) ? Finding{State::There, path}
                      : Finding{State::Missing, path + " is not there; install Heddle again"};
}

/// A shared library, as the dynamic linker finds it. `function` is one that it must have.
Finding libraryFinding(const char *file, std::string package, const char *function, State without) {
  void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    std::string text = dlerror();
    if (std::string_view culprit = packageOf(libraryIn(text)); !culprit.empty())
      package = culprit;
    return {without, saysMissing(text) ? std::string(libraryIn(text)) + " is missing" : text,
            package};
  }
  struct link_map *map = nullptr;
  Finding found{State::There, dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : file};
  if (*function && !dlsym(handle, function))
    return {without, found.what + " has no " + function, package};
  return found;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(": ") + 2);
  return "unknown model";
}

std::string vectorExtensions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4"))
    return "AVX-512";
  if (__builtin_cpu_supports("x86-64-v3"))
    return "AVX2";
  return __builtin_cpu_supports("avx")      ? "AVX"
         : __builtin_cpu_supports("sse4.2") ? "SSE4.2"
                                            : "SSE2";
#elif defined(__aarch64__)
  return getauxval(AT_HWCAP) & HWCAP_SVE ? "NEON, SVE" : "NEON";
#else
  return "no vectors that Heddle knows";
#endif
}

Finding processorFinding() {
  unsigned count = usableProcessors();
  return {State::There, processorName() + ", " + vectorExtensions() + ", " + std::to_string(count) +
                            (count == 1 ? " processor" : " processors") + " usable"};
}

std::string megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// The nearest folder above that exists decides whether one can be made.
bool isWritable(std::string path) {
  while (!isDirectory(path) && path.find('/') != path.npos && path != "/")
    path = directoryOf(path);
  return access(path.c_str(), W_OK) == 0;
}

Finding cacheFinding() {
  const ObjectCache &cache = objectCache();
  const std::string &folder = cache.config().directory;
  if (folder.empty())
    return {State::Note, "off: kernels are compiled each time that a program runs"};
  uint64_t bytes = 0;
  size_t count = 0;
  for (const std::string &path : cache.entries()) {
    std::error_code error;
    uint64_t size = std::filesystem::file_size(path, error);
    bytes += error ? 0 : size, ++count;
  }
  if (cache.isRefused() || !isWritable(folder))
    return {State::Absent,
            folder + " cannot be written: kernels are compiled each time that a program runs"};
  return {State::There, folder + ", " + std::to_string(count) + " entries, " + megabytes(bytes) +
                            " of at most " + megabytes(cache.config().maxBytes)};
}

/// "Debian clang version 22.1.8 (...)" of a program whose version must begin with "22".
Finding versionFinding(const std::string &program, const char *package) {
  std::string text = outputOf({program, "--version"});
  text = text.substr(0, text.find('\n'));
  State state = text.find("version 22.") == text.npos ? State::Missing : State::There;
  return {state, program + ": " + (text.empty() ? "does not run" : text),
          state == State::Missing ? package : ""};
}

void examinePrograms(Report &report, const Toolchain &tools) {
  report.title("To run programs");
  report.add("processor", processorFinding());
  report.add("runtime", fileFinding(tools.libs + "/libcudart.so.12"));
  report.add("driver", fileFinding(tools.libs + "/libheddle_driver.so"));
  report.add("driver API", fileFinding(tools.libs + "/libcuda.so.1"));
  report.add("kernel compiler", libraryFinding((tools.libs + "/libheddle_jit.so").c_str(), "",
                                               "heddleJitVersion", State::Missing));
  report.add("LLVM", libraryFinding("libLLVM.so.22.1", "libllvm22", "", State::Missing));
  report.add("SLEEF", libraryFinding("libsleef.so.3", "libsleef3", "", State::Missing));
  report.add("cache", cacheFinding());
}

/// Clang and the system's part of a compilation.
void examineClang(Report &report, const Toolchain &tools) {
  report.add("clang", versionFinding(tools.clang, "clang-22"));
  bool headers = hasHostHeaders(tools);
  report.add("C++ headers", headers ? Finding{State::There, "found"}
                                    : Finding{State::Missing, "clang finds none", "g++"});
  std::string library = findHostLibrary(tools, "libstdc++.so");
  report.add("libstdc++", library.empty() ? Finding{State::Missing, "clang finds none", "g++"}
                                          : Finding{State::There, library});
  std::string lld = findLld(tools), linker = findLinker(tools);
  report.add("linker", linker.empty() ? Finding{State::Missing, "", "lld-22"}
                       : lld.empty()  ? Finding{State::There, linker + " (lld is faster)", "lld-22"}
                                      : Finding{State::There, lld});
  report.add("heddle-clang", fileFinding(tools.cuda));
  report.add("clang plugin", fileFinding(tools.plugin));
}

void examineCompiler(Report &report, const Result<Toolchain> &tools) {
  report.title("To compile programs");
  if (tools)
    examineClang(report, *tools);
  else
    report.add("clang", {State::Missing, tools.error(), "clang-22"});
  std::string gcc = findProgram("g++");
  report.add("g++", gcc.empty() ? Finding{State::Absent, "for -ccbin g++ alone", "g++"}
                                : Finding{State::There, gcc});
}

void examineLibraries(Report &report) {
  report.title("For programs that use CUDA's libraries, OpenMP or Fortran");
#define HEDDLE_CPU_LIBRARY(name, file, package, function, use)                                     \
  report.add(#name " (" use ")", libraryFinding(file, package, function, State::Absent));
#include "support/cpu_libraries.def"
  report.add("libomp", libraryFinding("libomp.so.5", "libomp-22-dev", "", State::Absent));
  report.add("libgomp", libraryFinding("libgomp.so.1", "libgomp1", "", State::Absent));
  Result<FortranTools> fortran = findFortranTools();
  report.add("CUDA Fortran", fortran ? versionFinding(fortran->flang, "flang-22")
                                     : Finding{State::Absent, fortran.error()});
}

void examineRest(Report &report) {
  report.title("Beside that");
  bool isGpu = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0;
  report.add("GPU", {State::Note, isGpu ? "there; Heddle runs on the processor all the same"
                                        : "none, and none is needed"});
  for (char **variable = environ; *variable; ++variable)
    for (std::string_view prefix :
         {"HEDDLE_", "CUDA_CACHE_", "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES",
          "CUDA_DEVICE_ORDER", "NVCC_", "CUBLAS", "NCCL_"})
      if (std::string_view(*variable).starts_with(prefix))
        report.add("environment", {State::Note, *variable});
}

} // namespace

int runDoctor(const std::vector<std::string> &arguments) {
  if (!arguments.empty())
    return fatal("heddle doctor takes no arguments");
  printf("%s\n", compilerVersion());
  Result<Toolchain> tools = findToolchain();
  Toolchain own = tools ? *tools : ownFolders();
  Report report;
  examinePrograms(report, own);
  examineCompiler(report, tools);
  examineLibraries(report);
  examineRest(report);
  return report.conclude();
}

} // namespace heddle::tool
