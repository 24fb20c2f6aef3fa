// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <memory>

namespace heddle::simt {

unsigned lanesOf(const llvm::Type *); ///< 1 for what is no vector

/// Where one lane of a vector comes from: a lane of another vector, or a scalar (lane 0).
struct Lane {
  llvm::Value *value = nullptr; ///< null: poison
  unsigned number = 0;
  bool operator==(const Lane &other) const {
    return value == other.value && number == other.number;
  }
  bool operator<(const Lane &other) const {
    return std::pair(value, number) < std::pair(other.value, other.number);
  }
};

enum class LaneKind {
  Moves,    ///< shuffles and the like: only says where lanes come from
  Computes, ///< each lane from the same lane of its operands
  Loads,    ///< a load of neighbours, or a masked one
  Stores,   ///< the same for stores
  Gathers,  ///< or scatters: each lane has its own address
  Joins,    ///< a phi
  Opaque,   ///< all else
};

/// What an instruction that has or gives a vector does with lanes.
LaneKind laneKind(const llvm::Instruction &);

/// A call that computes each lane from the same lane of its vector arguments.
bool isLaneIntrinsic(const llvm::Instruction &);

/// Follows lanes of vectors through instructions that only move them, and finds the lanes that
/// anything needs in the end.
///
///     %a = fadd <4 x float> %x, %y
///     %b = shufflevector %a, poison, <2, 3, -, ->     of(%b): (%a, 2), (%a, 3), poison, poison
///     %c = extractelement %b, 1                       needed(%a): lane 3
class LaneOrigins {
public:
  explicit LaneOrigins(llvm::Function &);
  /// The origins of a vector's lanes: none of them is a vector whose kind is Moves.
  llvm::ArrayRef<Lane> of(llvm::Value *vector);
  /// Of an origin.
  const llvm::BitVector &needed(llvm::Value *vector);

private:
  void need(const Lane &);
  void needAll(llvm::Value *operand);
  void needOperands(llvm::Instruction &);
  void needMemory(llvm::Instruction &, const llvm::BitVector &lanes);
  void needForEffect(llvm::Instruction &);
  Lane ofScalar(llvm::Value *);
  llvm::SmallVector<Lane, 0> trace(llvm::Value *vector);

  llvm::DenseMap<llvm::Value *, std::unique_ptr<llvm::SmallVector<Lane, 0>>> origins_;
  llvm::DenseMap<llvm::Value *, llvm::BitVector> needed_;
  llvm::SmallVector<llvm::Instruction *, 64> pending_;
};

} // namespace heddle::simt
