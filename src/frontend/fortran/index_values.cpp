// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/fortran/index_values.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::fortran {

using namespace mlir;

Value asGiven(Value value) {
  auto convert = value.getDefiningOp<fir::ConvertOp>();
  return convert && convert.getValue().getType().isIntOrIndex() ? convert.getValue() : value;
}

Value IndexValues::constant(int64_t value, Type type) {
  type = type ? type : builder_.getIndexType();
  return arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(type, value));
}

Value IndexValues::toIndex(Value value) {
  return value.getType().isIndex()
             ? value
             : fir::ConvertOp::create(builder_, location_, builder_.getIndexType(), value);
}

Value IndexValues::product(ArrayRef<Value> factors) {
  Value result = factors.front();
  for (Value factor : factors.drop_front())
    result = arith::MulIOp::create(builder_, location_, result, factor);
  return result;
}

template <typename... Register> Value IndexValues::readRegister(unsigned dimension) {
  Type narrow = builder_.getI32Type();
  Value value;
  unsigned at = 0;
  ((at++ == dimension ? void(value = Register::create(builder_, location_, narrow)) : void()), ...);
  return toIndex(value);
}

Value IndexValues::threadIndex(unsigned dimension) {
  return readRegister<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(dimension);
}

Value IndexValues::blockIndex(unsigned dimension) {
  return readRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(dimension);
}

Value IndexValues::blockSize(unsigned dimension) {
  return readRegister<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(dimension);
}

Value IndexValues::gridSize(unsigned dimension) {
  return readRegister<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(dimension);
}

Value IndexValues::position(unsigned dimension) {
  Value first = product({blockIndex(dimension), blockSize(dimension)});
  return arith::AddIOp::create(builder_, location_, first, threadIndex(dimension));
}

Value IndexValues::positionInGrid() {
  Value columns = product({gridSize(0), blockSize(0)});
  Value rows = product({gridSize(1), blockSize(1)});
  Value row = arith::AddIOp::create(builder_, location_, position(1), product({position(2), rows}));
  return arith::AddIOp::create(builder_, location_, position(0), product({row, columns}));
}

} // namespace heddle::fortran
