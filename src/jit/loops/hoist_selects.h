// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// A loop that chooses in each round between a number and zero, by a condition that stays the same,
/// gets a mask that is made before it. PTX's shifts are such choices: by 32 and more they give
/// zero.
///
///                                              before:  %mask = select i1 %isShort, i32 255, i32 0
///     loop:  %s = lshr i32 %x, %n              loop:    %s = lshr i32 %x, %n
///            %d = and i32 %s, 255         ->            %r = and i32 %s, %mask
///            %r = select i1 %isShort, i32 %d, i32 0
///
/// Goes last: LLVM would make the choice of it again.
struct HoistSelects : llvm::PassInfoMixin<HoistSelects> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
