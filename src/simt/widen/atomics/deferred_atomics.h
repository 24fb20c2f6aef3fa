// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/atomics/lane_atomics.h"

namespace heddle::simt {

/// A function that the programs of a module share, no thread's.
bool isKeepFunction(const llvm::Function &);

/// Additions that the worker keeps for later (deferred_atomics.cpp).
class DeferredAtomics {
public:
  DeferredAtomics(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
                  LaneLoops &loops, LaneAtomics &lanes)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        loops_(loops), lanes_(lanes) {}

  /// False if the addition is not to be put off, or not worth it.
  bool emit(llvm::AtomicRMWInst &);

private:
  bool isRegular(const llvm::AtomicRMWInst &) const;
  void addTogether(llvm::AtomicRMWInst &, llvm::Value *table, int64_t size);
  void addByLane(llvm::AtomicRMWInst &, llvm::Value *table, int64_t size);
  void addToCellsOrMemory(llvm::AtomicRMWInst &, llvm::Value *table, int64_t size);
  llvm::Value *addToCells(llvm::AtomicRMWInst &, const LaneAddress &, llvm::Value *operands,
                          llvm::Value *table, int64_t size);
  void keepCells(llvm::AtomicRMWInst &, const LaneAddress &, llvm::Value *table, int64_t size);
  void addToWhole(llvm::AtomicRMWInst &, unsigned whole, llvm::Value *table, int64_t size,
                  llvm::BasicBlock *done);
  llvm::Value *indicesOutside(const LaneAddress &, llvm::Value *elements, llvm::Value *start,
                              int64_t size);
  llvm::Value *elementNumbers(llvm::Value *pointers, llvm::Value *base, int64_t size);
  void addToNeighbours(llvm::AtomicRMWInst &, llvm::Value *first);
  void addInTurn(llvm::AtomicRMWInst &, llvm::function_ref<llvm::Value *(llvm::Value *)> address);
  llvm::Value *launchField(llvm::Value *table, uint64_t offset);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  LaneAtomics &lanes_;
};

} // namespace heddle::simt
