// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Instructions that compute each lane from the same lane of their operands.
class Elementwise {
public:
  Elementwise(Emitter &, Masks &, LaneValues &);

  /// The same instruction on scalars or vectors; null if it is of another kind.
  llvm::Value *emit(llvm::Instruction &);

private:
  llvm::Value *divisor(llvm::BinaryOperator &, Lanes);
  llvm::Value *emitAddress(llvm::GetElementPtrInst &, Lanes);
  llvm::Value *emitPlain(llvm::Instruction &, Lanes);
  llvm::Value *emitOfVector(llvm::Instruction &);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> columnAddresses_; ///< columns.h
};

} // namespace heddle::simt
