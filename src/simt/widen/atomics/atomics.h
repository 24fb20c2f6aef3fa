// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/atomics/atomic_groups.h"
#include "simt/widen/atomics/deferred_atomics.h"

namespace heddle::simt {

/// Atomics: which form each has (atomics.cpp).
class Atomics {
public:
  Atomics(Emitter &, Masks &, LaneArrays &, LaneValues &, LaneLoops &);

  /// The old values; null if nobody looks at them.
  llvm::Value *emit(llvm::Instruction &);

private:
  llvm::Value *emitCombined(llvm::AtomicRMWInst &);
  llvm::Value *emitContiguous(llvm::AtomicRMWInst &);
  llvm::Value *emitCompareAndSwap(llvm::AtomicCmpXchgInst &);
  bool looksFirst(const llvm::AtomicCmpXchgInst &) const;
  llvm::Value *lookAndSwap(llvm::AtomicCmpXchgInst &, llvm::Value *expected);
  llvm::Value *swapOnOneAddress(llvm::AtomicCmpXchgInst &, llvm::Value *expected);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  LaneAtomics lanes_;
  AtomicGroups groups_;
  DeferredAtomics deferred_;
};

} // namespace heddle::simt
