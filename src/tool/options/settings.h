// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/architecture.h"
#include "tool/options/options.h"
#include "tool/tools/process.h"
#include "tool/tools/toolchain.h"

#include <cstdint>

namespace heddle::tool {

/// What the command line asks for, as clang and the packer need it: the same for every input.
struct Settings {
  Options options;
  Toolchain tools;
  Architectures architectures;
  bool relocatable = false;        ///< -rdc=true, -dc
  bool readsStandardInput = false; ///< an input is "-"
  bool verbose = false;            ///< print commands
  bool dryRun = false;             ///< ... and run nothing
  bool colour = false;             ///< diagnostics in colour: standard error is a terminal
  uint32_t imageFlags = 0;         ///< ImageFlags
  uint32_t compileOptions = 0;     ///< CompileOptions
  bool ptxHasLines = false;        ///< -lineinfo or -G
  uint32_t maxRegisters = 0;       ///< -maxrregcount; 0: none
  std::vector<std::string> notes;  ///< what -v tells besides the commands
  Command cudaFlags;               ///< both halves of a CUDA source
  Command deviceFlags;             ///< the device half only
  Command hostFlags;               ///< the host half only
  Command plainFlags;              ///< C and C++ sources
};

/// Fails on values that nvcc does not know, in its words.
Result<Settings> settle(Options, Toolchain);

/// The CUDA of --cuda-version.
const CudaRelease &cudaRelease(const Options &);

/// Device flags that depend on the architecture.
Command architectureFlags(const Architecture &);

/// The compiler of C and C++ sources and of the link: -ccbin's, or clang.
std::string hostCompiler(const Settings &, bool cxx);

} // namespace heddle::tool
