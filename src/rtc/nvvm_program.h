// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nvvm.h>

#include <string>
#include <vector>

namespace heddle::rtc {

struct NvvmModule {
  std::string name, code; ///< bitcode or text
  bool isLazy = false;    ///< only what others need of it
};

/// What nvvmCreateProgram makes.
struct NvvmProgram {
  std::vector<NvvmModule> modules;
  // What the last compilation gave.
  std::string log, result;
};

/// nvvmVerifyProgram, and with `makesCode` nvvmCompileProgram: PTX, or with -gen-lto a device image.
nvvmResult compileProgram(NvvmProgram &, const std::vector<std::string> &options, bool makesCode);

} // namespace heddle::rtc
