// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/emitter.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace heddle::simt {

/// Vectors in memory, an element a lane, for loops over lanes: taking an element at a variable
/// place out of a vector register costs a trip through memory each time.
class LaneArrays {
public:
  explicit LaneArrays(Emitter &emitter) : e_(emitter), builder_(emitter.builder) {}

  /// Elements of whole bytes can be addressed one by one.
  static bool canHold(llvm::Type *);
  /// An array that a loop over lanes leaves its results in. What is loaded of it as a whole is
  /// known to lie there (`resultsOf`).
  llvm::AllocaInst *newResults(llvm::Type *);
  llvm::AllocaInst *resultsOf(llvm::Value *) const;

  /// The array that holds a vector in the present loop over lanes. Null if there is no loop, if the
  /// value is made in it or has no addressable elements.
  llvm::AllocaInst *inMemory(llvm::Value *);
  llvm::Value *elementAddress(llvm::AllocaInst *array, llvm::Type *element, llvm::Value *lane);

  /// One lane of a vector, or of each vector of an aggregate.
  llvm::Value *extractLane(llvm::Value *v, llvm::Value *lane);
  llvm::Value *insertLane(llvm::Value *aggregate, llvm::Value *element, llvm::Value *lane);

  /// The arrays of a loop over lanes, and the jump into it.
  struct Loop {
    llvm::Instruction *entry = nullptr;
    llvm::MapVector<llvm::Value *, llvm::AllocaInst *> arrays;
  };
  /// From here on code is in a loop; returns the one around it, which `leave` takes.
  Loop enter(llvm::Instruction *jump);
  void leave(Loop outer);

private:
  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Loop loop_;
  llvm::SmallPtrSet<llvm::AllocaInst *, 8> results_;
};

} // namespace heddle::simt
