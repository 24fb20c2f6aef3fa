// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// "file:line:col" of an instruction in the user's source; "kernel
/// 'name'" if it has none.
std::string location(const llvm::Instruction &);

/// The instruction's place in the user's source: outside of our and clang's headers, where it can
/// be told. Null without debug information.
const llvm::DILocation *userLocation(const llvm::Instruction &);
/// "<location>: error: <message>".
llvm::Error errorAt(const llvm::Instruction &, const llvm::Twine &message);

/// Rewrites the NVVM intrinsics that have a plain meaning for one thread (arithmetic, conversions,
/// atomics, memory fences, address space queries) to LLVM's generic instructions. Those of lanes,
/// warps and barriers stay. Fails on one that is not supported, naming it.
llvm::Error lowerNvvm(llvm::Function &, const Options &, bool hasHalves);

/// The function adds, multiplies, ... doubles.
bool computesInDouble(const llvm::Function &);
/// -ftz=true where the processor's mode cannot do it because doubles keep their denormals: every
/// operand and result of float arithmetic that is denormal becomes a zero of its sign.
void flushDenormals(llvm::Function &);

} // namespace heddle::simt
