// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/digit_sum.h"
#include "simt/tiles/tile_copies.h"

namespace heddle::simt {

/// The addresses in global memory that elements of tiles were copied from, in the threads that read
/// them (propagate_tile_copies.cpp).
class CopiedAddresses {
public:
  CopiedAddresses(const Options &options, const TileLoop &tiles, LoopFacts &facts,
                  BlockValues &block)
      : options_(options), tiles_(tiles), facts_(facts), block_(block) {}

  /// What the address is in another thread can be computed: it follows from the thread's index by
  /// instructions without side effects, and what is known by tables is made of digits.
  bool canMake(const TileRead &) const;

  /// The distance from what the first round of a loop reads to what each later one does, a
  /// multiple of its number: nothing if they lie otherwise.
  std::optional<int64_t> stepOfRounds(const TileRead &);

  /// Whether `distanceOfRounds` can tell: nothing that the address follows from is loaded in the
  /// loop over tiles, or depends on the way through it. It can be computed in front of the loop,
  /// whether or not the first round would come to compute it.
  bool isKnownBefore(const TileRead &) const;

  /// How far apart two neighbouring rounds of an inner loop read in the first round over tiles, as
  /// a value that all threads have in common.
  llvm::Value *distanceOfRounds(const TileRead &, llvm::IRBuilder<> &);

  /// Before the first address is made: the blocks in front of the loop over tiles and at its end.
  /// `isWhole`: all tiles are to go.
  void begin(llvm::BasicBlock &before, llvm::BasicBlock &latch, bool isWhole) {
    before_ = &before, latch_ = &latch, isWhole_ = isWhole;
  }

  /// Loads at constant distances share an address: what lies between may not be seen later from
  /// indices of 32 bits, which can wrap around.
  llvm::Value *make(const TileRead &, llvm::IRBuilder<> &);

private:
  std::optional<int64_t> distance(const TileRead &from, const TileRead &to);
  bool isCommonBefore(llvm::Value &) const;
  llvm::PHINode *variable(llvm::Value &) const;
  llvm::Value *ofThread(llvm::Value &, unsigned thread, llvm::IRBuilder<> &) const;
  llvm::Value *firstAddress(const TileRead &, llvm::Instruction &before);
  llvm::Value *copied(const TileRead &, llvm::Instruction &before, bool isFirst);
  llvm::Value *ofTable(llvm::Value &, const ThreadTable &, const TileRead &,
                       llvm::Instruction &before);

  std::optional<DigitSum> sumFor(const TileRead &read, const ThreadTable &table) const {
    llvm::SmallVector<unsigned, 4> counts;
    for (unsigned count : options_.blockDim)
      if (count > 1)
        counts.push_back(count);
    counts.push_back(read.rounds);
    return findDigitSum(tableFor(read, table), counts);
  }
  ThreadTable tableFor(const TileRead &read, const ThreadTable &table) const {
    ThreadTable result;
    for (unsigned thread : read.copier)
      result.push_back(table[thread]);
    return result;
  }
  static llvm::Value &address(const TileRead &read) { return *read.copy->base; }

  const Options &options_;
  const TileLoop &tiles_;
  LoopFacts &facts_;
  BlockValues &block_;
  std::vector<std::pair<const TileRead *, llvm::Value *>> addresses_; ///< computed so far
  llvm::DenseMap<int64_t, llvm::PHINode *>
      tileSteps_; ///< multiples of steps, by the number of the round
  llvm::BasicBlock *before_ = nullptr, *latch_ = nullptr;
  bool isWhole_ = false;
};

} // namespace heddle::simt
