// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// How the address of an access goes from one turn of a loop that has the access to the next.
enum class Walk {
  MayStay,
  InCircle, ///< or anyhow: it may come back
  MovesOn,
};
Walk walkOf(const llvm::Instruction &access, const llvm::Value *address, const llvm::Loop &);

/// An addition that goes on by itself: the loop never takes back what it has added, and never adds
/// 0.
///
///     while ((i = atomicAdd(next, 1)) < n)        but not  while (atomicSub(&free, 1) <= 0)
///     atomicAdd(&free, 1);
bool isCounter(const llvm::AtomicRMWInst &, const llvm::Loop &);

/// The loop changes the counter otherwise, too.
bool isTakenBack(const llvm::AtomicRMWInst &, const llvm::Loop &);

/// An atomic operation that leaves its loop if it finds what its thread has seen there: a
/// compare-and-swap of what was seen last, or an operation that is compared with it. Each turn has
/// one such. If it fails, another thread has got on.
bool isRetry(const llvm::Instruction &atomic, const LoopFacts &);

/// All ways round the loop go through the block.
bool isInEachTurn(const llvm::BasicBlock *, const llvm::Loop &, const llvm::DominatorTree &);

} // namespace heddle::simt
