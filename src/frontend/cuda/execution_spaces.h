// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTConsumer.h"

namespace clang {
class CompilerInstance;
}

namespace heddle::cuda {

/// Macro of a program of NVRTC.
inline constexpr const char *ProgramMacro = "__CUDACC_RTC__";

/// Macro of a source whose functions and variables without an execution space are the device's.
inline constexpr const char *DefaultDeviceMacro = "__HEDDLE_DEFAULT_DEVICE__";

/// Refuses functions and variables of the host at namespace scope: a program of NVRTC has no host
/// half.
std::unique_ptr<clang::ASTConsumer> refuseHostCode(clang::CompilerInstance &);

} // namespace heddle::cuda
