// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads' parts of reductions in CUF loops.
#pragma once

#include "frontend/fortran/loop_variables.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::fortran {

/// What a thread's part begins with: 0 of a sum, 1 of a product, the least number of a maximum.
mlir::Value identityOf(mlir::OpBuilder &, mlir::Location, const Scalar &);

/// Allocates a part for each of the `threads` (i64) on the device. Returns a reference to an array
/// of the scalar's type.
mlir::Value allocateParts(mlir::OpBuilder &, mlir::Location, mlir::ModuleOp, const Scalar &,
                          mlir::Value threads);

/// Waits for the kernel, brings its parts into the host's variable and frees them.
void reduceParts(mlir::OpBuilder &, mlir::Location, mlir::ModuleOp, const Scalar &,
                 mlir::Value parts, mlir::Value threads);

} // namespace heddle::fortran
