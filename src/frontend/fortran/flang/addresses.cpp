// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables for dummies TYPE(C_PTR), VALUE with IGNORE_TKR: nvfortran passes their addresses, Flang 22
// what is in them (fixes.cpp has arrays and procedures, which it refuses):
//
//   call show(x)      fir.convert (fir.load %x : f32) -> !fir.ref<i64>
//                       -> fir.convert %x -> !fir.ref<i64>
//   call show(text)   fir.load (fir.convert %text -> !fir.ref<!fir.ref<i64>>)
//                       -> fir.convert %text -> !fir.ref<i64>
//
// An integer of 8 bytes is an address, as a C_PTR is.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Dialect/FIROps.h"

namespace heddle::fortran {

namespace {

/// Whether the type is the one that TYPE(C_PTR) has as an argument by value.
bool isAddress(mlir::Type type) {
  return mlir::isa<fir::ReferenceType>(type) && fir::unwrapRefType(type).isInteger(64);
}

/// The variable whose value is passed as an address; null if it is something else.
mlir::Value variableIn(mlir::Value argument) {
  if (auto convert = argument.getDefiningOp<fir::ConvertOp>())
    if (auto load = convert.getValue().getDefiningOp<fir::LoadOp>();
        load && fir::isa_trivial(load.getType()) && !load.getType().isInteger(64))
      return load.getMemref();
  if (auto load = argument.getDefiningOp<fir::LoadOp>())
    if (auto convert = load.getMemref().getDefiningOp<fir::ConvertOp>();
        convert && mlir::isa<fir::CharacterType, fir::SequenceType, fir::RecordType>(
                       fir::unwrapRefType(convert.getValue().getType())))
      return convert.getValue();
  return {};
}

} // namespace

void mendAddresses(mlir::ModuleOp module) {
  module.walk([](fir::CallOp call) {
    for (mlir::OpOperand &argument : call.getArgsMutable()) {
      mlir::Value variable =
          isAddress(argument.get().getType()) ? variableIn(argument.get()) : mlir::Value();
      if (!variable || !fir::isa_ref_type(variable.getType()))
        continue;
      mlir::OpBuilder builder(call);
      mlir::Operation *value = argument.get().getDefiningOp();
      argument.set(
          fir::ConvertOp::create(builder, call.getLoc(), argument.get().getType(), variable));
      if (value->use_empty())
        value->erase(); // the verifier refuses it
    }
  });
}

} // namespace heddle::fortran
