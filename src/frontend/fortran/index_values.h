// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the type index in kernels and in front of their launches.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace heddle::fortran {

constexpr unsigned Dimensions = 3; ///< of a grid and of a block

/// A bound as the user gave it: without Flang's conversion to the type index.
mlir::Value asGiven(mlir::Value);

/// Writes values where the builder stands.
class IndexValues {
public:
  IndexValues(mlir::OpBuilder &builder, mlir::Location location)
      : builder_(builder), location_(location) {}

  /// Of the type index unless another is given.
  mlir::Value constant(int64_t value, mlir::Type type = {});
  mlir::Value toIndex(mlir::Value);
  mlir::Value product(llvm::ArrayRef<mlir::Value> factors);

  // The special registers of a dimension, which count from 0 (PTX ISA, "Special Registers").
  mlir::Value threadIndex(unsigned dimension);
  mlir::Value blockIndex(unsigned dimension);
  mlir::Value blockSize(unsigned dimension);
  mlir::Value gridSize(unsigned dimension);

  /// The thread's number in its dimension of the grid.
  mlir::Value position(unsigned dimension);
  /// The thread's number in the grid: x counts fastest, then y, through all blocks.
  mlir::Value positionInGrid();

private:
  template <typename... Register> mlir::Value readRegister(unsigned dimension);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

} // namespace heddle::fortran
