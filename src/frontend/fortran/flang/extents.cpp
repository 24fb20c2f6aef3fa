// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device and shared arrays of which some extents are constants, as `real, device :: a(n, 2)`. The
// operation names the extents that are none, and Flang 22 takes their product for the number of
// elements. Nothing else reads them, so the first one takes the constants in.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle::fortran {

namespace {

/// The product of the extents that are constants.
int64_t constantPart(mlir::Type type) {
  auto array = mlir::dyn_cast<fir::SequenceType>(type);
  int64_t product = 1;
  for (int64_t extent : array ? array.getShape() : llvm::ArrayRef<int64_t>())
    if (extent != fir::SequenceType::getUnknownExtent())
      product *= extent;
  return product;
}

template <typename Op> void mend(Op variable) {
  int64_t factor = constantPart(variable.getInType());
  if (variable.getShape().empty() || factor == 1)
    return;
  mlir::OpOperand &first = variable.getShapeMutable()[0];
  if (!first.get().getType().isIntOrIndex())
    return;
  mlir::OpBuilder builder(variable);
  mlir::Value constant = mlir::arith::ConstantOp::create(
      builder, variable.getLoc(), builder.getIntegerAttr(first.get().getType(), factor));
  first.set(mlir::arith::MulIOp::create(builder, variable.getLoc(), first.get(), constant));
}

} // namespace

void mendExtents(mlir::ModuleOp module) {
  module.walk([](cuf::AllocOp variable) { mend(variable); });
  module.walk([](cuf::SharedMemoryOp variable) { mend(variable); });
}

} // namespace heddle::fortran
