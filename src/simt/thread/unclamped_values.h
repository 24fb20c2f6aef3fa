// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"
#include "simt/thread/clamps.h"
#include "simt/thread/guard_region.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

using Clamps = llvm::SmallSetVector<llvm::Instruction *, 8>;

/// What values are in the threads of a warp in which no clamp binds (clamps.h), and that none does,
/// computed in front of the region that holds the clamps. For version_clamps.cpp, which explains
/// it; what is computed reads no memory and cannot fault.
class UnclampedValues {
public:
  /// In front of `before`; instructions are made by `builder`, which stays there.
  UnclampedValues(const Clamps &clamps, const llvm::Instruction &before, llvm::IRBuilder<> &builder,
                  const GuardFacts &facts, const ThreadProgram &program, const Options &options)
      : clamps_(clamps), before_(before), builder_(builder), facts_(facts), program_(program),
        options_(options) {}

  /// Makes `condition`; false if a clamp's operands are not known here.
  bool emit();
  /// Of these clamps further down in the region, adds divisions whose operands are known here.
  void addDivisions(const Clamps &further);

  const Clamps &clamps() const { return clamps_; }
  /// No clamp binds in this thread.
  llvm::Value *condition() const { return condition_; }
  /// What is divided by, as it is known here.
  llvm::ArrayRef<llvm::Value *> divisors() const { return divisors_; }
  /// The same, as it is in the region: above zero.
  const llvm::SmallPtrSet<const llvm::Value *, 8> &positive() const { return positive_; }
  /// What the clamp is where none binds: a value of the region, or one that is there before it.
  llvm::Value *lineOf(llvm::Instruction &clamp, llvm::IRBuilder<> &inRegion) const;

private:
  /// How far a number is from that of lane 0.
  struct Distance {
    llvm::Value *value = nullptr; ///< of the thread's index alone; null: not seen
    double longest = 0;           ///< in any lane, as a whole number

    bool isNone() const { return value && longest == 0; }
  };

  void require(llvm::Value *holds);
  void requirePositive(llvm::Value *divisor, const llvm::Value *inRegion);
  llvm::Value *rebuild(llvm::Value *);
  llvm::Value *rebuildNew(llvm::Value *);
  llvm::Value *quotientOfQuotient(llvm::Value *number, llvm::Value *divisor);
  llvm::Value *divided(llvm::BinaryOperator &);
  Distance fromLane0(llvm::Value *);
  Distance findDistance(llvm::Value *);
  Distance laneOffset(const Shape &, llvm::Type &);

  Clamps clamps_;
  const llvm::Instruction &before_;
  llvm::IRBuilder<> &builder_;
  const GuardFacts &facts_;
  const ThreadProgram &program_;
  const Options &options_;
  unsigned budget_ = 0; ///< of instructions for the clamp at hand
  llvm::Value *condition_ = nullptr;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> rebuilt_; ///< values without clamps
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::Value *>
      quotients_; ///< of number and divisor
  llvm::DenseMap<const llvm::Instruction *, std::pair<llvm::Value *, llvm::Value *>>
      remainders_; ///< in lane 0, and how far others are from it
  llvm::DenseMap<const llvm::Value *, Distance> distances_; ///< of values in the region
  llvm::SmallPtrSet<const llvm::Value *, 8> positive_;      ///< divisors above zero
  llvm::SmallVector<llvm::Value *, 4> divisors_;
};

} // namespace heddle::simt
