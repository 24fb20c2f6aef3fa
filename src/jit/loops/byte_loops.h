// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that count bytes one by one, which jit/count_pairs counts in pairs.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::jit {

/// f(byte): what a round computes of one byte, and of what stays the same in all rounds.
class ByteFormula {
public:
  ByteFormula(llvm::Value *result, llvm::LoadInst *byte, const llvm::Loop &rounds)
      : result_(result), byte_(byte), rounds_(&rounds) {}

  /// It reads no memory but the byte, and may be computed for bytes that never come.
  bool isPure() const;
  bool isSameAs(const ByteFormula &other) const { return isSame(result_, other.result_, other); }

  /// Of another byte.
  llvm::Value *compute(llvm::IRBuilder<> &builder, llvm::Value *byte) const;

private:
  bool isSame(llvm::Value *mine, llvm::Value *theirs, const ByteFormula &other) const;

  llvm::Value *result_;
  llvm::LoadInst *byte_;
  const llvm::Loop *rounds_;
};

/// A loop over lanes that does nothing but to count one byte after the other, in a loop that does
/// nothing else.
struct ByteLoop {
  llvm::Loop *lanes = nullptr, *rounds = nullptr;
  llvm::Value *bytes = nullptr; ///< the address of the first one; it may change from round to round
  uint64_t length = 0;          ///< bytes in a round
  std::optional<ByteFormula> bin; ///< its address
  llvm::Type *type = nullptr;     ///< of a bin
  llvm::APInt by;                 ///< what is added for a byte
};

/// Finds them. Their bytes carry the mark simt::StillInMemory.
class ByteLoops {
public:
  ByteLoops(llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution)
      : loops_(loops), evolution_(evolution) {}

  llvm::SmallVector<ByteLoop, 1> find();

private:
  struct Addition;

  bool isByteLoop(ByteLoop &loop);
  bool findAdditions(const ByteLoop &loop, llvm::SmallVectorImpl<Addition> &additions) const;
  bool areNeighbours(ByteLoop &loop, llvm::ArrayRef<Addition> additions);

  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
};

} // namespace heddle::jit
