// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the runtime are in lib/fortran/reduce.cpp.
#include "frontend/fortran/loop_parts.h"

#include "frontend/fortran/index_values.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

Value floatConstant(OpBuilder &builder, Location location, FloatType type, double value) {
  return arith::ConstantOp::create(builder, location, builder.getFloatAttr(type, value));
}

Value insertPart(OpBuilder &builder, Location location, Value complex, Value part, int64_t at) {
  return fir::InsertValueOp::create(
      builder, location, complex.getType(), complex, part,
      builder.getArrayAttr({builder.getIntegerAttr(builder.getIndexType(), at)}));
}

func::FuncOp runtimeFunction(ModuleOp module, Location location, StringRef name,
                             ArrayRef<Type> arguments, ArrayRef<Type> results) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder end = OpBuilder::atBlockEnd(module.getBody());
  auto function =
      func::FuncOp::create(end, location, name, end.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr("fir.runtime", end.getUnitAttr());
  return function;
}

int64_t byteSize(Type type) {
  if (auto logical = dyn_cast<fir::LogicalType>(type))
    return static_cast<int64_t>(logical.getFKind());
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * complex.getElementType().getIntOrFloatBitWidth() / 8;
  return type.getIntOrFloatBitWidth() / 8;
}

/// The kinds of values that heddleFortranReduce knows.
int64_t kindOf(Type type) {
  if (isa<fir::LogicalType>(type))
    return 'l';
  if (isa<ComplexType>(type))
    return 'c';
  return isa<FloatType>(type) ? 'r' : 'i';
}

} // namespace

Value identityOf(OpBuilder &builder, Location location, const Scalar &scalar) {
  using Operation = fir::ReduceOperationEnum;
  bool isTrue = scalar.reduction == Operation::AND || scalar.reduction == Operation::EQV;
  bool isOne = scalar.reduction == Operation::Multiply;
  Type type = scalar.type;
  if (auto logical = dyn_cast<fir::LogicalType>(type))
    return fir::ConvertOp::create(
        builder, location, logical,
        IndexValues(builder, location).constant(isTrue, builder.getI1Type()));
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto part = cast<FloatType>(complex.getElementType());
    Value one = floatConstant(builder, location, part, isOne);
    Value zero = floatConstant(builder, location, part, 0);
    Value value = fir::UndefOp::create(builder, location, type);
    value = insertPart(builder, location, value, one, 0);
    return insertPart(builder, location, value, zero, 1);
  }
  bool isMax = scalar.reduction == Operation::MAX, isMin = scalar.reduction == Operation::MIN;
  if (auto number = dyn_cast<FloatType>(type)) {
    if (!isMax && !isMin)
      return floatConstant(builder, location, number, isOne);
    auto infinity = llvm::APFloat::getInf(number.getFloatSemantics(), isMax);
    return arith::ConstantOp::create(builder, location, builder.getFloatAttr(number, infinity));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  llvm::APInt value = isMax                                 ? llvm::APInt::getSignedMinValue(bits)
                      : isMin                               ? llvm::APInt::getSignedMaxValue(bits)
                      : scalar.reduction == Operation::IAND ? llvm::APInt::getAllOnes(bits)
                                                            : llvm::APInt(bits, isOne);
  return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, value));
}

Value allocateParts(OpBuilder &builder, Location location, ModuleOp module, const Scalar &scalar,
                    Value threads) {
  Type generic = fir::ReferenceType::get(builder.getI8Type()), wide = builder.getI64Type();
  Type array = fir::ReferenceType::get(
      fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, scalar.type));
  Value bytes = IndexValues(builder, location).constant(byteSize(scalar.type), wide);
  auto function =
      runtimeFunction(module, location, "heddleFortranPartials", {wide, wide}, {generic});
  Value memory =
      fir::CallOp::create(builder, location, function, ValueRange{threads, bytes}).getResult(0);
  return fir::ConvertOp::create(builder, location, array, memory);
}

void reduceParts(OpBuilder &builder, Location location, ModuleOp module, const Scalar &scalar,
                 Value parts, Value threads) {
  constexpr int64_t Take = 0; // what the one thread has left
  int64_t operation = scalar.use == ScalarUse::Carried ? Take : int64_t(scalar.reduction);
  Type narrow = builder.getI32Type(), wide = builder.getI64Type();
  Type generic = fir::ReferenceType::get(builder.getI8Type());
  auto function = runtimeFunction(module, location, "heddleFortranReduce",
                                  {generic, generic, wide, wide, narrow, narrow}, {});
  IndexValues values(builder, location);
  Value to = fir::ConvertOp::create(builder, location, generic, scalar.variable);
  Value from = fir::ConvertOp::create(builder, location, generic, parts);
  fir::CallOp::create(builder, location, function,
                      ValueRange{to, from, threads, values.constant(byteSize(scalar.type), wide),
                                 values.constant(kindOf(scalar.type), narrow),
                                 values.constant(operation, narrow)});
}

} // namespace heddle::fortran
