// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/cuda/compile_source.h"
#include "rtc/options.h"

#include <nvrtc.h>

#include <string>
#include <vector>

namespace heddle::rtc {

/// What nvrtcCreateProgram makes.
struct Program {
  unsigned release = 0;
  cuda::SourceText source;
  std::vector<cuda::SourceText> headers;
  std::vector<std::string> expressions;
  int (*callback)(void *payload, void *unused) = nullptr;
  void *payload = nullptr;

  // What the last compilation gave. Code that was not asked for is empty.
  bool isTried = false, isCompiled = false;
  std::vector<std::string> names; ///< of the expressions
  std::string log, ptx, cubin, linkable;
  cuda::Precompiled precompiled = cuda::Precompiled::NotTried;
  size_t precompiledBytes = 0; ///< that its precompiled header takes
};

/// nvrtcCompileProgram. A precompiled header may have so many bytes.
nvrtcResult compileProgram(Program &, const std::vector<std::string> &options, size_t limit);

} // namespace heddle::rtc
