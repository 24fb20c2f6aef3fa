// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/lower/lower_device.h"
#include "simt/simt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Counters that a block keeps for each of its warps: cleared, counted up, made into the places of
/// each warp's first keys, and asked for the places of all keys (merge_warp_counters.cpp).
class WarpCounters {
public:
  /// A key that a thread counts, and where it puts it.
  struct Round {
    llvm::AtomicRMWInst *rank = nullptr;
    llvm::LoadInst *before = nullptr;   ///< the keys of this digit that go before the warp's
    llvm::Instruction *place = nullptr; ///< before + rank
    llvm::Value *digit = nullptr;
    llvm::SmallVector<llvm::StoreInst *, 2> stores;
  };

  WarpCounters(llvm::Function &thread, const Options &options)
      : facts(thread), path(thread, facts), shared(*thread.getArg(ParamShared)),
        threads(options.blockDim[0]), thread_(thread), layout_(thread.getDataLayout()),
        warps_(threads / 32) {}

  /// False if the kernel has none, or does anything else with them.
  bool find();

  /// All threads come to it, once.
  bool isSure(const llvm::Instruction &instruction) const {
    const llvm::BasicBlock *block = instruction.getParent();
    return !facts.loops.getLoopFor(block) &&
           path.postDominators.dominates(block, &thread_.getEntryBlock());
  }
  /// There is a barrier between the two.
  bool areApart(const llvm::Instruction &first, const llvm::Instruction &then) const {
    return llvm::any_of(barriers_, [&](const llvm::Instruction *barrier) {
      return facts.dominators.dominates(&first, barrier) &&
             facts.dominators.dominates(barrier, &then);
    });
  }

  LoopFacts facts;
  OrderFacts path;
  llvm::Argument &shared;
  unsigned threads; ///< of the block

  // What was found.
  llvm::SmallVector<Round, 16> rounds;                 ///< in their order
  llvm::Type *type = nullptr;                          ///< of a counter
  int64_t start = 0;                                   ///< of the counters, in shared memory
  llvm::SmallVector<llvm::StoreInst *, 8> zeros, sums; ///< by warp
  llvm::SmallVector<llvm::Instruction *, 32> tail;     ///< the places and what is made of them
  llvm::DenseMap<const llvm::Instruction *, unsigned> roundOf; ///< of the tail

private:
  /// shared + constant + the sum of scale * value
  struct Address {
    int64_t constant = 0;
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> terms;
  };

  Address termsOf(llvm::Value *pointer) const;
  bool isApart(const llvm::Instruction &access) const;
  int rowOf(llvm::Instruction &access) const;
  bool findRounds();
  bool findRound(llvm::AtomicRMWInst &rank);
  bool findScan();
  bool isScan(llvm::ArrayRef<llvm::LoadInst *> counts);
  bool findStores();
  bool takeIntoTail(llvm::Instruction &, unsigned round, unsigned &last);
  bool isEnd(const llvm::BasicBlock &) const;

  llvm::Function &thread_;
  const llvm::DataLayout &layout_;
  unsigned warps_;
  llvm::SmallVector<llvm::Instruction *, 32> accesses_; ///< to shared memory
  llvm::SmallVector<llvm::Instruction *, 4> barriers_;  ///< that all threads come to
  int64_t rowBytes_ = 0;
};

/// Computes from its operands and nothing else, and never fails.
bool isPure(const llvm::Instruction &);

} // namespace heddle::simt
