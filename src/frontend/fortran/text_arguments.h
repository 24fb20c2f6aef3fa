// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::fortran {

/// Whether the procedure has ATTRIBUTES(GLOBAL) or the like.
bool isKernel(mlir::func::FuncOp);

/// Makes two parameters of each dummy of type character that a kernel has: its address and its
/// length. Launches copy the characters of values. Before markArgumentsByValue.
void splitTextArguments(mlir::ModuleOp module);

} // namespace heddle::fortran
