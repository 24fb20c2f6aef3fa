// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Lets warps that write to shared memory go behind those that have still to read there what a
/// barrier has left, in programs that forget a barrier in between (yield_before_reuse.cpp). Wants
/// the width to be chosen.
///
///     barrier; %x = load %s[lane]; ...            barrier; %x = load %s[lane]; ...
///     store %sum, %s[warp]                   ->   call void @heddle.yield(); store %sum, %s[warp]
struct YieldBeforeReuse : llvm::PassInfoMixin<YieldBeforeReuse> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
