// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomicCAS returns the value that was in memory (CUDA Fortran Programming Guide, 3.7.6.3). Flang
// 22 returns whether it has swapped, as a number:
//
//   %pair = llvm.cmpxchg %address, %bits_of_compare, %bits_of_value
//   %swapped = llvm.extractvalue %pair[1]          -> %bits = llvm.extractvalue %pair[0]
//   %result = fir.convert %swapped : (i1) -> f64   -> %result = arith.bitcast %bits : i64 to f64
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::fortran {

namespace {

/// The conversion of "has swapped" into the result's type; null if this is another use.
fir::ConvertOp resultOf(mlir::LLVM::AtomicCmpXchgOp swap) {
  for (mlir::Operation *user : swap->getUsers()) {
    auto swapped = mlir::dyn_cast<mlir::LLVM::ExtractValueOp>(user);
    if (swapped && swapped.getPosition() == llvm::ArrayRef<int64_t>{1} && swapped->hasOneUse())
      return mlir::dyn_cast<fir::ConvertOp>(*swapped->user_begin());
  }
  return {};
}

void returnOldValue(mlir::LLVM::AtomicCmpXchgOp swap, fir::ConvertOp result) {
  mlir::OpBuilder builder(result);
  mlir::Location location = result.getLoc();
  mlir::Value old =
      mlir::LLVM::ExtractValueOp::create(builder, location, swap, llvm::ArrayRef<int64_t>{0});
  if (old.getType() != result.getType())
    old = mlir::arith::BitcastOp::create(builder, location, result.getType(), old);
  mlir::Operation *swapped = result.getValue().getDefiningOp();
  result.replaceAllUsesWith(old);
  result.erase();
  swapped->erase();
}

} // namespace

void mendSwaps(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::LLVM::AtomicCmpXchgOp> swaps;
  module.walk([&](mlir::LLVM::AtomicCmpXchgOp swap) { swaps.push_back(swap); });
  for (mlir::LLVM::AtomicCmpXchgOp swap : swaps)
    if (fir::ConvertOp result = resultOf(swap))
      returnOldValue(swap, result);
}

} // namespace heddle::fortran
