// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/objects.h"

#include "llvm/Analysis/LoopInfo.h"

namespace heddle::simt {

/// While threads try the atomic operation in the loop, others may write what makes it succeed
/// (given_back.cpp). Null objects: nothing is known of the launch.
bool mayBeGivenBack(const llvm::Instruction &atomic, const llvm::Loop &, const Objects *);

/// A counter whose loop ends with one value of it, `while (atomicAdd(&lock, 1) != 0);`, and that
/// others may set to that.
bool mayBeReset(const llvm::AtomicRMWInst &counter, const llvm::Loop &, const Objects *);

} // namespace heddle::simt
