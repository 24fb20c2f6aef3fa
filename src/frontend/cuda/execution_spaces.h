// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTConsumer.h"

namespace clang {
class CompilerInstance;
class Sema;
} // namespace clang

namespace heddle::cuda {

/// Whether programs load this code themselves, and find what is in it by its name: NVRTC's, and what
/// `nvcc -fatbin`, `-cubin` and `-ptx` make (base/image/device_flags.h, LoadedCodeMacro). Not where
/// it is linked with other code first.
bool isLoadedCode(clang::Sema &);

/// Macro of a source whose functions and variables without an execution space are the device's.
inline constexpr const char *DefaultDeviceMacro = "__HEDDLE_DEFAULT_DEVICE__";

/// Refuses functions and variables of the host at namespace scope: a program of NVRTC has no host
/// half.
std::unique_ptr<clang::ASTConsumer> refuseHostCode(clang::CompilerInstance &);

/// Makes variables that hosts see known as such also if they come from a precompiled header.
std::unique_ptr<clang::ASTConsumer> keepPrecompiledVariables(clang::CompilerInstance &);

} // namespace heddle::cuda
