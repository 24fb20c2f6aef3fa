// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: what the values of a random program really are, in each lane.
#pragma once

#include "simt/analysis/fuzz/random_program.h"
#include "simt/analysis/shape.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

#include <functional>
#include <optional>
#include <vector>

namespace heddle::simt {

/// A number of at most 64 bits in one thread.
struct LaneNumber {
  uint64_t bits = 0;   ///< zero extended; computed modulo 2^n also where the result is poison
  bool poison = false; ///< any other number may stand for it
};

/// Runs a random program in the lanes of one warp program, in step, by the rules of LLVM's language
/// reference. Also lanes that are not active compute, as if every instruction were harmless: a warp
/// program keeps values in lanes that stand for others.
class LaneInterpreter {
public:
  using Numbers = std::vector<LaneNumber>; ///< by lane

  /// Lane 0 is thread `first` of the block.
  LaneInterpreter(const RandomProgram &program, const LaneFacts &facts, unsigned first,
                  std::vector<uint64_t> arguments);

  /// Calls `visit` after each run of a block, with the lanes that were active in it.
  void run(std::function<void(const llvm::BasicBlock &, const std::vector<bool> &)> visit);

  /// All pointers are into one short object, counted from here: others are poison where `inbounds`
  /// says that they are none. Without it nothing is known of objects.
  void setObject(uint64_t address) { object_ = address; }

  /// What a value is now.
  const Numbers &of(const llvm::Value *);

private:
  void runBlock(const llvm::BasicBlock &, const std::vector<const llvm::BasicBlock *> &from);
  LaneNumber compute(const llvm::Instruction &, unsigned lane);
  LaneNumber computeBinary(const llvm::BinaryOperator &, LaneNumber, LaneNumber);
  LaneNumber computeAddress(const llvm::GetElementPtrInst &, unsigned lane);
  LaneNumber computeCall(const llvm::CallInst &, unsigned lane);
  /// Of a condition in each lane; lanes where it is poison end.
  std::vector<bool> decide(const llvm::BasicBlock &, std::vector<bool> &active);

  const RandomProgram &program_;
  LaneFacts facts_;
  unsigned first_;
  std::vector<uint64_t> arguments_;
  std::optional<uint64_t> object_;
  llvm::DenseMap<const llvm::Value *, Numbers> numbers_;
};

} // namespace heddle::simt
