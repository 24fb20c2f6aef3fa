// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/lower/lower_device.h"
#include "simt/simt.h"

#include "llvm/Analysis/TargetTransformInfo.h"

namespace heddle::simt {

class PendingBlocks;

/// What code does, by what it takes. Each kind has a constant, and a time is the sum of products.
enum WorkKind { Vectors, Scalars, Lanes, Masks, Spills, WorkKinds };
using Work = std::array<double, WorkKinds>;

/// What one thread costs in a program of so many lanes, in operations on the machine's vector
/// registers. For comparisons only.
class ThreadCost {
public:
  ThreadCost(const ThreadProgram &, const Options &, const llvm::TargetMachine &);

  /// Infinite where the width is not possible, or the program would be too large. At width 1 a
  /// thread goes alone.
  double at(unsigned width);

  /// Whole warps never part at a barrier.
  bool isPossible(unsigned width);

  /// `at` of the widths, and what it is made of, for bench/fit_forms.py.
  void print(llvm::raw_ostream &, llvm::ArrayRef<unsigned> widths);

private:
  /// A block, or the waiting in a loop for its own results.
  struct Part {
    double times;             ///< it runs, where all lanes go
    unsigned guards, parting; ///< branches on data that lead to it, loops that lanes leave by data
    Work work;
    double latency; ///< cycles; 0: no loop
  };

  /// What is known of a block at some width.
  struct Place {
    bool masked;     ///< lanes wait elsewhere while it runs
    unsigned active; ///< lanes that may come to it
  };

  Shapes shapesAt(unsigned width) {
    return Shapes(path_.order, facts_.loops, path_.postDominators, {width, options_.blockDim},
                  /*argumentsVary=*/false);
  }
  bool isPossible(const PendingBlocks &) const;
  double timeOf(const Part &, unsigned width) const;
  double threadsOf(unsigned width) const;

  // How often code runs.
  bool partsByValue(const llvm::BasicBlock &) const;
  bool isMasked(const llvm::BasicBlock &, const Shapes &) const;
  double timesOf(const llvm::Loop *) const;
  unsigned guardsOf(const llvm::BasicBlock &) const;
  bool isOfRound(const llvm::Value *, const llvm::Loop &,
                 llvm::SmallPtrSetImpl<const llvm::Value *> &seen) const;
  unsigned partingOf(const llvm::Loop *) const;

  // What it does (work.cpp).
  std::vector<Part> partsAt(const Shapes &);
  Work workOf(const llvm::Instruction &, const Shapes &, const Place &) const;
  Work accessWork(const llvm::Instruction &, const Shapes &, const Place &) const;
  double masks(const Shapes &) const;
  bool walksRow(const llvm::Instruction &access) const;
  double gather(const llvm::Instruction &access, unsigned lanes) const;
  Work callWork(const llvm::CallInst &, const Shapes &) const;
  double operations(const llvm::Instruction &, unsigned lanes,
                    llvm::TargetTransformInfo::TargetCostKind) const;
  double registers(const llvm::Type *, unsigned lanes) const;
  double registersOf(const llvm::Instruction &, const Shapes &) const;
  double fixedIn(const llvm::BasicBlock &, const Shapes &) const;
  double computedIn(const llvm::BasicBlock &, const Shapes &) const;
  Work spillsIn(const llvm::BasicBlock &, const Shapes &) const;
  double carriedBy(const llvm::Loop &, const Shapes &) const;
  double latency(const llvm::Loop &, const Shapes &) const;

  llvm::Function &thread_;
  const Options &options_;
  unsigned threads_;
  LoopFacts facts_;
  OrderFacts path_;
  mutable Recurrences recurrences_;
  llvm::TargetTransformInfo target_;
  Shapes ofWarp_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> sums_; ///< loops that go on vectors in one thread
};

} // namespace heddle::simt
