// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text on the device, of which Flang 22 takes the size of one character for the size of all.
//
//   character(5), device :: w(3)      too little memory, so it is one of bytes
//     %w = cuf.alloc !fir.array<3x!fir.char<1,5>>(%c5)
//       -> %bytes = cuf.alloc !fir.array<15xi8>; %w = fir.convert %bytes
//   w = h, w(1) = 'x', w(2) = h(1) // 'y'     a transfer of too few bytes, or of the left side's
//     -> a call of lib/fortran, which assigns with blanks, or an assignment if it goes to the host
//   v = t(1), type(t), device :: v(3)         a transfer to the first element
//     -> such a call, too
//
// Transfers between descriptors are right.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle::fortran {

namespace {

/// In lib/fortran/transfer.cpp.
constexpr const char *Assign = "heddleFortranAssign";

/// The type of a variable's text; null if that is none, or characters alone.
fir::CharacterType longText(mlir::Type type) {
  auto text = mlir::dyn_cast<fir::CharacterType>(fir::unwrapSequenceType(type));
  return text && (!text.hasConstantLen() || text.getLen() != 1) ? text : fir::CharacterType();
}

/// Constant extents and lengths give the bytes in the type; the others are operands.
template <typename Op> void makeBytes(Op variable) {
  fir::CharacterType text = longText(variable.getInType());
  if (!text)
    return;
  mlir::OpBuilder builder(variable);
  mlir::Location location = variable.getLoc();
  llvm::SmallVector<mlir::Value> factors(variable.getShape());
  int64_t constant = text.hasConstantLen() ? text.getLen() : 1;
  if (!text.hasConstantLen())
    factors.push_back(variable.getTypeparams()[0]);
  if (auto array = mlir::dyn_cast<fir::SequenceType>(variable.getInType()))
    for (int64_t extent : array.getShape())
      constant *= extent == fir::SequenceType::getUnknownExtent() ? 1 : extent;
  llvm::SmallVector<mlir::Value> bytes;
  if (!factors.empty()) {
    mlir::Value product = mlir::arith::ConstantIndexOp::create(builder, location, constant);
    for (mlir::Value factor : factors)
      product = mlir::arith::MulIOp::create(
          builder, location, product,
          fir::ConvertOp::create(builder, location, builder.getIndexType(), factor));
    bytes.push_back(product);
  }
  auto type = fir::SequenceType::get(
      {factors.empty() ? constant : fir::SequenceType::getUnknownExtent()}, builder.getI8Type());
  auto memory = mlir::cast<Op>(builder.clone(*variable));
  memory.setInType(type);
  memory.getTypeparamsMutable().clear();
  memory.getShapeMutable().assign(bytes);
  memory->getResult(0).setType(fir::ReferenceType::get(type));
  variable.replaceAllUsesWith(
      fir::ConvertOp::create(builder, location, variable.getType(), memory->getResult(0))
          .getResult());
  variable.erase();
}

bool isDescriptor(mlir::Type type) { return mlir::isa<fir::BaseBoxType>(fir::unwrapRefType(type)); }

bool haveOneRank(cuf::DataTransferOp transfer) {
  return hlfir::Entity{transfer.getSrc()}.getRank() == hlfir::Entity{transfer.getDst()}.getRank();
}

/// Whether Flang's transfer would be wrong. Characters alone are right if both sides have one
/// length and rank.
bool isMended(cuf::DataTransferOp transfer) {
  if (mlir::isa<fir::RecordType>(hlfir::getFortranElementType(transfer.getDst().getType())))
    return !haveOneRank(transfer);
  auto text = [](mlir::Value side) {
    return mlir::dyn_cast<fir::CharacterType>(hlfir::getFortranElementType(side.getType()));
  };
  fir::CharacterType from = text(transfer.getSrc()), to = text(transfer.getDst());
  if (!from || !to)
    return false;
  if (!haveOneRank(transfer) || !from.hasConstantLen() || from.getLen() != to.getLen())
    return true;
  bool areDescriptors =
      isDescriptor(transfer.getSrc().getType()) && isDescriptor(transfer.getDst().getType());
  return from.getLen() != 1 && !areDescriptors;
}

/// A variable's descriptor, or that of a temporary with a value.
mlir::Value describe(fir::FirOpBuilder &builder, mlir::Location location, mlir::Value side,
                     hlfir::AssociateOp &temporary) {
  hlfir::Entity entity{withExtents(side)};
  if (!entity.isVariable()) {
    temporary = hlfir::genAssociateExpr(location, builder, entity, side.getType(), ".cuf");
    entity = hlfir::Entity{temporary.getBase()};
  }
  entity = hlfir::derefPointersAndAllocatables(location, builder, entity);
  return hlfir::genVariableBox(location, builder, entity);
}

/// Where the descriptor of a left side is: an allocatable array's own, for it may be allocated.
mlir::Value describeLeft(fir::FirOpBuilder &builder, mlir::Location location, mlir::Value side) {
  if (isAllocatable(side))
    return side;
  hlfir::AssociateOp none;
  mlir::Value box = describe(builder, location, side, none);
  mlir::Value place = builder.createTemporary(location, box.getType());
  fir::StoreOp::create(builder, location, box, place);
  return place;
}

void assign(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost)
    return assignOnHost(module, transfer);
  mlir::Location location = transfer.getLoc();
  fir::FirOpBuilder builder(transfer, fir::getKindMapping(module));
  if (mlir::isa<hlfir::ExprType>(transfer.getSrc().getType()))
    waitBefore(transfer);
  hlfir::AssociateOp temporary;
  auto box = fir::BoxType::get(builder.getNoneType());
  mlir::Value to = builder.createConvert(location, fir::ReferenceType::get(box),
                                         describeLeft(builder, location, transfer.getDst()));
  mlir::Value from = builder.createConvert(
      location, box, describe(builder, location, transfer.getSrc(), temporary));
  mlir::Value left = transfer.getDst();
  mlir::Value keeps = builder.createBool(location, isAllocatable(left) && keepsLength(left));
  auto type = mlir::FunctionType::get(builder.getContext(),
                                      {to.getType(), from.getType(), keeps.getType()}, {});
  fir::CallOp::create(builder, location, builder.createFunction(location, Assign, type),
                      mlir::ValueRange{to, from, keeps});
  if (temporary)
    hlfir::EndAssociateOp::create(builder, location, temporary);
  transfer.erase();
}

} // namespace

void mendText(mlir::ModuleOp module) {
  llvm::SmallVector<cuf::DataTransferOp> transfers;
  llvm::SmallVector<cuf::AllocOp> variables;
  llvm::SmallVector<cuf::SharedMemoryOp> shared;
  module.walk([&](mlir::Operation *op) {
    if (auto transfer = mlir::dyn_cast<cuf::DataTransferOp>(op); transfer && isMended(transfer))
      transfers.push_back(transfer);
    else if (auto variable = mlir::dyn_cast<cuf::AllocOp>(op))
      variables.push_back(variable);
    else if (auto variable = mlir::dyn_cast<cuf::SharedMemoryOp>(op))
      shared.push_back(variable);
  });
  for (cuf::DataTransferOp transfer : transfers)
    assign(module, transfer);
  for (cuf::AllocOp variable : variables)
    makeBytes(variable);
  for (cuf::SharedMemoryOp variable : shared)
    makeBytes(variable);
}

} // namespace heddle::fortran
