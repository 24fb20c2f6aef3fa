// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/host_parts.h"
#include "tool/tools/files.h"
#include "tool/tools/process.h"

#include <cstdlib>

namespace heddle::tool {

std::string outputOf(const std::vector<std::string> &command) {
  Result<Process> process = Process::start(command, {.captureOutput = true, .captureErrors = true});
  if (!process || process->wait() != 0)
    return "";
  std::string text = process->output();
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

bool hasHostHeaders(const Toolchain &tools) {
  Result<Process> process = Process::start({tools.clangxx, "-fsyntax-only", "-x", "c++", "-include",
                                            "stdlib.h", "-include", "new", "/dev/null"},
                                           {.captureErrors = true});
  return process && process->wait() == 0;
}

std::string findHostLibrary(const Toolchain &tools, const std::string &name) {
  std::string path = outputOf({tools.clangxx, "-print-file-name=" + name});
  return isFile(path) ? path : "";
}

std::string findLld(const Toolchain &tools) {
  char real[4096];
  if (!realpath(tools.clang.c_str(), real))
    return "";
  std::string path = directoryOf(real) + "/ld.lld";
  return isFile(path) ? path : "";
}

std::vector<std::string> fastLinker(const Toolchain &tools) {
  if (findLld(tools).empty())
    return {};
  return {"-fuse-ld=lld"};
}

std::string findLinker(const Toolchain &tools) {
  if (std::string lld = findLld(tools); !lld.empty())
    return lld;
  return findProgram(outputOf({tools.clangxx, "-print-prog-name=ld"}));
}

std::string whyNotCompiled(const Toolchain &tools, std::string_view errors) {
  if (errors.find("file not found") == errors.npos || hasHostHeaders(tools))
    return "";
  return "the headers of the C++ standard library are missing: install the package g++";
}

std::string whyNotLinked(const Toolchain &tools) {
  if (findLinker(tools).empty())
    return "there is no linker: install the package lld-22";
  for (const char *name : {"libstdc++.so", "crt1.o"})
    if (findHostLibrary(tools, name).empty())
      return std::string(name) + " is missing: install the package g++";
  return "";
}

} // namespace heddle::tool
