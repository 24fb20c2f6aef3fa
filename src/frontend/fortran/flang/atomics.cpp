// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong in Flang 22's lowering of atomic functions.
//
// atomicCAS returns the value that was in memory (CUDA Fortran Programming Guide, 3.7.6.3). Flang
// returns whether it has swapped, as a number:
//
//   %pair = llvm.cmpxchg %address, %bits_of_compare, %bits_of_value
//   %swapped = llvm.extractvalue %pair[1]          -> %bits = llvm.extractvalue %pair[0]
//   %result = fir.convert %swapped : (i1) -> f64   -> %result = arith.bitcast %bits : i64 to f64
//
// An integer(4) for an integer(8) in memory would change the lower half alone:
//
//   %old = llvm.atomicrmw sub %address_of_i64, %value : i32
//     -> %wide = arith.extsi %value; %old = llvm.atomicrmw sub %address_of_i64, %wide : i64
//
// Two numbers at a time are vectors, which device code has none of. Each element is atomic by
// itself, as with CUDA's half2:
//
//   %pair = llvm.atomicrmw fadd %address, %vector : vector<2xf16>   -> two llvm.atomicrmw
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace heddle::fortran {

namespace {

using mlir::LLVM::AtomicRMWOp;

/// The conversion of "has swapped" into the result's type; null if this is another use.
fir::ConvertOp resultOf(mlir::LLVM::AtomicCmpXchgOp swap) {
  for (mlir::Operation *user : swap->getUsers()) {
    auto swapped = mlir::dyn_cast<mlir::LLVM::ExtractValueOp>(user);
    if (swapped && swapped.getPosition() == llvm::ArrayRef<int64_t>{1} && swapped->hasOneUse())
      return mlir::dyn_cast<fir::ConvertOp>(*swapped->user_begin());
  }
  return {};
}

void returnOldValue(mlir::LLVM::AtomicCmpXchgOp swap) {
  fir::ConvertOp result = resultOf(swap);
  if (!result)
    return;
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

AtomicRMWOp update(mlir::OpBuilder &builder, AtomicRMWOp like, mlir::Value address,
                   mlir::Value value) {
  return AtomicRMWOp::create(builder, like.getLoc(), like.getBinOp(), address, value,
                             like.getOrdering());
}

/// The integer in memory, if the update is of a narrower one.
mlir::IntegerType widerInteger(AtomicRMWOp atomic) {
  auto address = atomic.getPtr().getDefiningOp<fir::ConvertOp>();
  auto value = mlir::dyn_cast<mlir::IntegerType>(atomic.getVal().getType());
  if (!address || !value)
    return {};
  auto memory = mlir::dyn_cast<mlir::IntegerType>(
      fir::unwrapSequenceType(fir::unwrapRefType(address.getValue().getType())));
  return memory && memory.getWidth() > value.getWidth() ? memory : mlir::IntegerType();
}

void widen(AtomicRMWOp atomic, mlir::IntegerType type) {
  mlir::OpBuilder builder(atomic);
  mlir::Location location = atomic.getLoc();
  mlir::Value value = mlir::arith::ExtSIOp::create(builder, location, type, atomic.getVal());
  mlir::Value old = update(builder, atomic, atomic.getPtr(), value);
  mlir::Value narrow = mlir::arith::TruncIOp::create(builder, location, atomic.getType(), old);
  for (mlir::OpOperand &use : llvm::make_early_inc_range(atomic->getUses())) {
    auto convert = mlir::dyn_cast<fir::ConvertOp>(use.getOwner());
    if (convert && convert.getType() == type) {
      convert.replaceAllUsesWith(old);
      convert.erase();
    } else {
      use.set(narrow);
    }
  }
  atomic.erase();
}

/// The element of a vector that is put together; null if it is not among the insertions.
mlir::Value elementOf(mlir::Value vector, int64_t index) {
  while (auto insert = vector.getDefiningOp<mlir::LLVM::InsertElementOp>()) {
    llvm::APInt position;
    if (mlir::matchPattern(insert.getPosition(), mlir::m_ConstantInt(&position)) &&
        position.getSExtValue() == index)
      return insert.getValue();
    vector = insert.getVector();
  }
  return {};
}

/// The bits of two halves in one word, as they lie in memory.
mlir::Value packed(mlir::OpBuilder &builder, mlir::Location location,
                   llvm::ArrayRef<mlir::Value> halves) {
  mlir::Value words[2];
  for (unsigned i : {0, 1}) {
    mlir::Value bits =
        mlir::arith::BitcastOp::create(builder, location, builder.getI16Type(), halves[i]);
    words[i] = mlir::arith::ExtUIOp::create(builder, location, builder.getI32Type(), bits);
  }
  mlir::Value places =
      mlir::arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(16));
  mlir::Value high = mlir::arith::ShLIOp::create(builder, location, words[1], places);
  return mlir::arith::OrIOp::create(builder, location, words[0], high);
}

/// Uses of a vector become uses of its elements.
void useElements(AtomicRMWOp atomic, llvm::ArrayRef<mlir::Value> old) {
  for (mlir::Operation *user : llvm::make_early_inc_range(atomic->getUsers())) {
    mlir::OpBuilder builder(user);
    llvm::APInt position;
    if (auto extract = mlir::dyn_cast<mlir::LLVM::ExtractElementOp>(user);
        extract && mlir::matchPattern(extract.getPosition(), mlir::m_ConstantInt(&position))) {
      extract.replaceAllUsesWith(old[position.getZExtValue()]);
      extract.erase();
    } else if (auto cast = mlir::dyn_cast<mlir::vector::BitCastOp>(user); cast) {
      auto word = mlir::cast<mlir::vector::ExtractOp>(*cast->user_begin());
      word.replaceAllUsesWith(packed(builder, cast.getLoc(), old));
      word.erase();
      cast.erase();
    }
  }
}

void split(AtomicRMWOp atomic, mlir::VectorType type) {
  mlir::OpBuilder builder(atomic);
  llvm::SmallVector<mlir::Value> old;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    mlir::Value element = elementOf(atomic.getVal(), i);
    if (!element)
      return;
    mlir::Value place = mlir::LLVM::GEPOp::create(
        builder, atomic.getLoc(), atomic.getPtr().getType(), type.getElementType(), atomic.getPtr(),
        llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(i)});
    old.push_back(update(builder, atomic, place, element));
  }
  useElements(atomic, old);
  atomic.erase();
}

} // namespace

void mendAtomics(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::LLVM::AtomicCmpXchgOp> swaps;
  llvm::SmallVector<AtomicRMWOp> updates;
  module.walk([&](mlir::LLVM::AtomicCmpXchgOp swap) { swaps.push_back(swap); });
  module.walk([&](AtomicRMWOp atomic) { updates.push_back(atomic); });
  for (mlir::LLVM::AtomicCmpXchgOp swap : swaps)
    returnOldValue(swap);
  for (AtomicRMWOp atomic : updates)
    if (mlir::IntegerType wider = widerInteger(atomic))
      widen(atomic, wider);
    else if (auto vector = mlir::dyn_cast<mlir::VectorType>(atomic.getVal().getType()))
      split(atomic, vector);
}

} // namespace heddle::fortran
