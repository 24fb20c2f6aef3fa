// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "frontend/cuda/compile_source.h"
#include "jit/client/jit_library.h"

namespace heddle::rtc {

/// The folders beside libheddle_compiler.so (HEDDLE_HOME overrides them), and those of clang 22 that the build was
/// configured with, or of HEDDLE_CLANG.
Result<cuda::Toolkit> findToolkit();

/// The JIT beside libheddle_compiler.so, opened at the first use: heddle-clang does without it.
Result<const JitLibrary *> openJit();

/// What clang loads.
std::string pluginOf(const cuda::Toolkit &);

} // namespace heddle::rtc
