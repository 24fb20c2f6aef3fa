// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/lower/lower_device.h"
#include "simt/simt.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace heddle::simt {

class NearLanes;
class PendingBlocks;

constexpr unsigned FloatBits = 32; ///< a lane's share of registers, where the type is not asked

/// Lanes part at the end of the block by what they compute, not by their number.
bool lanesPartByValue(const llvm::BasicBlock &, const Shapes &);

/// What one thread costs in a program of so many lanes, in instructions on the machine's vector
/// registers, the body of a loop as often as it runs, eight times if that is not known. For
/// comparisons only.
class ThreadCost {
public:
  ThreadCost(const ThreadProgram &, const Options &);

  /// Infinite where warps cannot be one program, or should not.
  double at(unsigned width);

  /// What `at` leaves out: programs that halt at barriers in inner loops save what the loop
  /// changes, and load it again.
  double ofHalting(unsigned width);
  /// A loop halts at a barrier in each round, and does not mostly add to sums (addsInTurn).
  bool haltsWithoutSums() const;

  /// Whole warps never part at a barrier.
  bool isPossible(unsigned width);

  /// A loop carries more values than there are registers for warps of them.
  bool carriesMany() const;
  /// ... by far than there are registers, for one each.
  bool carriesTooMany() const;
  /// Straight code holds more values at once than there are registers for one each.
  bool holdsMany();
  /// Its lanes share few sets of a cache (pitched_rows.h), in programs of up to so many.
  bool walksPitchedRows(unsigned widest);

private:
  /// What is known of a block at some width.
  struct Place {
    bool masked;                  ///< lanes wait elsewhere while it runs
    const llvm::BitVector &lanes; ///< that may come to it
    NearLanes &near;              ///< what is found of one address holds for all
  };

  /// Registers of what lives through an inner loop.
  struct Held {
    double fixed = 0, changing = 0;
  };

  /// Of one round of an inner loop.
  struct LoopWork {
    double all = 0;
    double inRegisters = 0; ///< what gathers and atomics do not
    double waits = 0;       ///< for memory
  };

  Shapes shapesAt(unsigned width) {
    return Shapes(path_.order, facts_.loops, path_.postDominators, {width, options_.blockDim},
                  /*argumentsVary=*/false);
  }
  bool isPossible(const PendingBlocks &) const;

  // Where lanes part.
  bool partsByValue(const llvm::BasicBlock &, const Shapes &) const;
  bool isGuess(const llvm::BasicBlock &, const Shapes &) const;
  bool guardsLoop(const llvm::BasicBlock &) const;
  bool waitsForLoop(const llvm::BasicBlock &) const;
  double divergence(const Shapes &, const Shapes &ofWarp) const;
  bool isGuarded(const llvm::BasicBlock &, const Shapes &) const;
  double taken(const llvm::BasicBlock &, const Shapes &) const;

  // Instructions.
  double registers(const llvm::Type *, unsigned lanes) const;
  double cost(const llvm::Instruction &, const Shapes &, const Place &) const;
  double spills(const llvm::BasicBlock &, double work, const Shapes &) const;
  double branchCost(const llvm::BasicBlock &, const Shapes &) const;
  double callCost(const llvm::CallInst &, const Shapes &) const;
  bool followsFromLoads(const llvm::Value &pointer, const Shapes &) const;
  double accessCost(const llvm::Instruction &, const llvm::Value *pointer, const Shapes &,
                    const Place &) const;
  bool stepsByGrid(const llvm::Instruction &access, llvm::Value *pointer) const;

  // Loops (loop_cost.cpp).
  double timesOf(const llvm::Loop *);
  double loopCost(const llvm::Loop &, const LoopWork &, const Shapes &);
  bool isGathered(const llvm::Value *pointer, const Shapes &) const;
  bool walksRows(const llvm::Loop &, const Shapes &) const;
  double waitOf(const llvm::Instruction &, const Shapes &) const;
  bool goesByLanes(const llvm::Instruction &, const Shapes &) const;
  double forCarried() const;
  Held heldIn(const llvm::Loop &, const Shapes &) const;
  size_t mostCarried() const;
  static bool addsInTurn(const llvm::Loop &);
  bool isUsedInEach(const llvm::Value &, const llvm::Loop &, const Shapes &) const;
  double latency(const llvm::Loop &, const Shapes &) const;

  // Straight code (straight_cost.cpp).
  bool isStraight() const;
  double straightLatency(const llvm::Loop *, const Shapes &) const;
  double straightCost(double work, const Shapes &) const;

  llvm::Function &thread_;
  const Options &options_;
  const Costs &costs_;
  unsigned threads_;
  LoopFacts facts_;
  OrderFacts path_;
  mutable Recurrences recurrences_;
};

} // namespace heddle::simt
