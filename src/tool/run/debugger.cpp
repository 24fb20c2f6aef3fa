// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/compile.h"
#include "tool/run/run.h"
#include "tool/tools/toolchain.h"

#include <unistd.h>

namespace heddle::tool {

int runDebugger(const std::vector<std::string> &arguments) {
  std::string libraries = ownFolders().libs;
  // The script is needed before there is a program, and found again with the library by those that
  // the debugged program starts. Kernels are loaded when they are first launched.
  std::vector<std::string> words = {"gdb",
                                    "-iex",
                                    "add-auto-load-safe-path " + libraries,
                                    "-iex",
                                    "set breakpoint pending on",
                                    "-iex",
                                    "source " + libraries + "/libheddle_driver.so-gdb.py"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp("gdb", pointers.data());
  return fatal("cuda-gdb needs gdb, which is missing (Debian's package gdb)");
}

} // namespace heddle::tool
