// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// What the loops of a program wait for (polls.cpp says how that is told).
struct Waits {
  /// One may wait for another block, or looks like it. Such a kernel's blocks are taken one at a
  /// time, and more of them run at once when none makes progress (KernelMaySpin).
  bool maySpin = false;
  bool polls = false; ///< one does, for all that is known, and gives way at each turn
};

/// Marks the loops that poll, in all functions, so that they give way at each turn. Wants loops in
/// simplified form, and leaves them so.
///
///     br wait                                  call void @heddle.poll(); br wait
///   wait:                                    wait:
///     %v = load volatile i32, ptr %p    ->     %v = load volatile i32, ptr %p
///     %done = icmp ne i32 %v, 0                %done = icmp ne i32 %v, 0
///     br i1 %done, exit, wait                  br i1 %done, exit, again
///                                            again:
///                                              call void @heddle.yield(); br wait
///
/// Where a program polls, __nanosleep gives way as well.
Waits markPolls(llvm::Module &);

/// Fences for the compiler alone (an empty asm) and non-temporal loads (__ldcg, which programs poll
/// with; the headers of this project put an empty asm behind it) matter in loops that poll, where
/// the loads become volatile. Elsewhere the fences go, and the loads are like all others.
void relaxCachedLoads(llvm::Module &);

} // namespace heddle::simt
