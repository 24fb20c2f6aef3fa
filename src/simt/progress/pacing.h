// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"

namespace heddle::simt {

/// Loops that poll and choose by the clock how they pause between do so no more: here they give way
/// instead, and a wait that cannot end is seen to be one (device/cpu/waiting/hang.cpp). Clocks that
/// anything else depends on stay.
void dropPacing(const llvm::Loop &, const llvm::PostDominatorTree &);

} // namespace heddle::simt
