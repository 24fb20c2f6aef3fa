// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults in Flang 22's lowering of assignments between device and host. Its verifier refuses what
// comes of the first two; the others would be wrong.
//
//   b_d = a_d, x = b_d(3), of different kinds   a transfer of what the host has converted itself
//     -> wait; temporary = conversion; transfer of the temporary, or an assignment if it stays on
//     the host (waits.cpp says of which expressions there are such). An allocatable array takes the
//     values' shape first, which transfers of the host's arrays do not do
//   a_d = p_d, allocatable, of different kinds  a transfer within the device of what the host has converted
//     -> wait; a transfer of the host's temporary
//   e = p_d, allocatable, of different kinds    hlfir.assign of the values alone, which have no lower bounds
//     -> of the temporary that has them
//   a(2:n:2) = b_d(1:5), of different kinds     hlfir.assign stands in front of the operations that make its left side
//     -> it moves behind them
//   l_d(3) = .false.                            a transfer of one bit as if it were the logical in memory
//     -> a transfer of what the bit is converted to
//   l = i > j_d(1), a(2:n:2) = b_d(1:5)         a copy of the only array, be it the host's, that nobody frees
//     -> wait; the array is read where it is
//   a_d = f(n), an array of any size            a transfer of a descriptor that is not in memory
//     -> the descriptor is stored, and transferred from there
//   b = a_d, real, device :: a_d(:, 0:)         a transfer of a descriptor with lower bounds beside it
//     -> without them: descriptors say all that it needs
//   a_d = b, of any sizes, as a_d(n), b(m)      a transfer of the right side's bytes between two addresses
//     -> of two descriptors, of which the runtime compares the shapes
// (Those of text: text.cpp.)
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

#include "mlir/IR/Matchers.h"

namespace heddle::fortran {

namespace {

/// Values that the host computes, but for constants, which a transfer may have.
bool isComputed(mlir::Value source) {
  mlir::Type type = source.getType();
  bool isValue = mlir::isa<hlfir::ExprType>(type) || fir::isa_trivial(type);
  return isValue && source.getDefiningOp() && !mlir::matchPattern(source, mlir::m_Constant());
}

/// Calls lib/fortran for an allocatable array that gets the values of a temporary.
void takeShape(fir::FirOpBuilder &builder, mlir::Location location, mlir::Value to,
               mlir::Value values) {
  mlir::Value box = hlfir::genVariableBox(location, builder, hlfir::Entity{values});
  mlir::Value place = builder.createTemporary(location, box.getType());
  fir::StoreOp::create(builder, location, box, place);
  auto any = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
  auto type = mlir::FunctionType::get(builder.getContext(), {any, any}, {});
  fir::CallOp::create(
      builder, location, builder.createFunction(location, "heddleFortranTakeShape", type),
      {builder.createConvert(location, any, to), builder.createConvert(location, any, place)});
}

void transferComputed(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost)
    return assignOnHost(module, transfer);
  waitBefore(transfer);
  mlir::Location location = transfer.getLoc();
  mlir::Value source = transfer.getSrc();
  fir::FirOpBuilder builder(transfer, fir::getKindMapping(module));
  hlfir::AssociateOp temporary =
      hlfir::genAssociateExpr(location, builder, hlfir::Entity{source}, source.getType(), ".cuf");
  if (isAllocatable(transfer.getDst()) && hlfir::Entity{source}.isArray())
    takeShape(builder, location, transfer.getDst(), temporary.getBase());
  auto kind =
      cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
  cuf::DataTransferOp::create(builder, location, temporary.getBase(),
                              withExtents(transfer.getDst()), /*shape=*/nullptr, kind);
  hlfir::EndAssociateOp::create(builder, location, temporary);
  transfer.erase();
}

/// Whether the source is the host's temporary with a value's lower bounds, though the transfer says
/// that it is on the device.
bool isOfTemporary(cuf::DataTransferOp transfer) {
  auto variable = transfer.getSrc().getDefiningOp<hlfir::DeclareOp>();
  return variable && variable.getMemref().getDefiningOp<hlfir::AssociateOp>() &&
         transfer.getTransferKind() != cuf::DataTransferKind::HostDevice;
}

void transferTemporary(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost)
    return assignOnHost(module, transfer);
  waitBefore(transfer);
  if (isAllocatable(transfer.getDst())) {
    fir::FirOpBuilder builder(transfer, fir::getKindMapping(module));
    takeShape(builder, transfer.getLoc(), transfer.getDst(), withExtents(transfer.getSrc()));
  }
  transfer.setTransferKind(cuf::DataTransferKind::HostDevice);
}

/// A bit becomes a logical value as it lies in memory.
void makeLogical(cuf::DataTransferOp transfer) {
  mlir::Type type = hlfir::getFortranElementType(transfer.getDst().getType());
  if (!transfer.getSrc().getType().isInteger(1) || !mlir::isa<fir::LogicalType>(type))
    return;
  mlir::OpBuilder builder(transfer);
  transfer.getSrcMutable().assign(
      fir::ConvertOp::create(builder, transfer.getLoc(), type, transfer.getSrc()));
}

/// Lower bounds are no shape, which a transfer between addresses has.
void dropLowerBounds(cuf::DataTransferOp transfer) {
  if (transfer.getShape() && mlir::isa<fir::ShiftType>(transfer.getShape().getType()))
    transfer.getShapeMutable().clear();
}

/// Whether a side is an array's address alone.
bool isArrayAddress(mlir::Value side) {
  return fir::isa_ref_type(side.getType()) &&
         mlir::isa<fir::SequenceType>(fir::unwrapRefType(side.getType()));
}

/// Sides of any size get descriptors.
void compareShapes(cuf::DataTransferOp transfer) {
  if (!isArrayAddress(transfer.getSrc()) || !isArrayAddress(transfer.getDst()))
    return;
  mlir::Value from = withExtents(transfer.getSrc()), to = withExtents(transfer.getDst());
  if (!mlir::isa<fir::BaseBoxType>(from.getType()) && !mlir::isa<fir::BaseBoxType>(to.getType()))
    return;
  transfer.getSrcMutable().assign(from);
  transfer.getDstMutable().assign(to);
  transfer.getShapeMutable().clear();
}

/// A temporary's descriptor, of which the transfer needs the address.
void storeDescriptor(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  mlir::Value box = transfer.getSrc();
  if (!mlir::isa<fir::BaseBoxType>(box.getType()) || !box.getDefiningOp<hlfir::AssociateOp>())
    return;
  mlir::Location location = transfer.getLoc();
  fir::FirOpBuilder builder(transfer, fir::getKindMapping(module));
  mlir::Value place = builder.createTemporary(location, box.getType());
  fir::StoreOp::create(builder, location, box, place);
  transfer.getSrcMutable().assign(place);
}

/// Flang's copy of what a conversion reads; null if the transfer is to something else.
hlfir::DeclareOp copyOf(cuf::DataTransferOp transfer) {
  auto variable = transfer.getDst().getDefiningOp<hlfir::DeclareOp>();
  auto memory = variable ? variable.getMemref().getDefiningOp<fir::AllocMemOp>() : nullptr;
  bool isCopy = memory && memory.getBindcName() == ".tmp" &&
                transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost;
  return isCopy ? variable : hlfir::DeclareOp();
}

void readInPlace(cuf::DataTransferOp transfer, hlfir::DeclareOp copy) {
  waitBefore(transfer);
  mlir::Value source = transfer.getSrc();
  mlir::Operation *memory = copy.getMemref().getDefiningOp();
  transfer.erase();
  for (mlir::Value result : copy->getResults())
    result.replaceAllUsesWith(source);
  copy.erase();
  memory->erase();
}

/// The temporary that has an array's values with the lower bounds of what they are of.
hlfir::DeclareOp withLowerBounds(mlir::Value values) {
  for (mlir::Operation *user : values.getUsers())
    if (auto temporary = mlir::dyn_cast<hlfir::AssociateOp>(user))
      for (mlir::Operation *of : temporary->getUsers())
        if (auto variable = mlir::dyn_cast<hlfir::DeclareOp>(of))
          return variable;
  return {};
}

void keepLowerBounds(hlfir::AssignOp assign) {
  hlfir::DeclareOp variable =
      assign.isAllocatableAssignment() ? withLowerBounds(assign.getRhs()) : hlfir::DeclareOp();
  if (!variable || variable->getBlock() != assign->getBlock())
    return;
  assign.getRhsMutable().assign(variable.getBase());
  assign->moveAfter(variable);
}

void moveBehindOperands(hlfir::AssignOp assign) {
  mlir::Operation *left = assign.getLhs().getDefiningOp();
  if (left && left->getBlock() == assign->getBlock() && assign->isBeforeInBlock(left))
    assign->moveAfter(left);
}

} // namespace

mlir::Value withExtents(mlir::Value side) {
  auto variable = side.getDefiningOp<hlfir::DeclareOp>();
  return variable ? variable.getBase() : side;
}

bool isAllocatable(mlir::Value to) {
  mlir::Type box = fir::unwrapRefType(to.getType());
  return to.getType() != box && fir::isAllocatableType(box);
}

bool keepsLength(mlir::Value to) {
  auto variable = to.getDefiningOp<hlfir::DeclareOp>();
  auto text = mlir::dyn_cast<fir::CharacterType>(hlfir::getFortranElementType(to.getType()));
  return text && (text.hasConstantLen() || (variable && !variable.getTypeparams().empty()));
}

void assignOnHost(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  waitBefore(transfer);
  mlir::Value to = withExtents(transfer.getDst());
  fir::FirOpBuilder builder(transfer, fir::getKindMapping(module));
  hlfir::Entity source = hlfir::derefPointersAndAllocatables(
      transfer.getLoc(), builder, hlfir::Entity{withExtents(transfer.getSrc())});
  hlfir::AssignOp::create(builder, transfer.getLoc(), source, to, isAllocatable(to),
                          /*keep_lhs_length_if_realloc=*/isAllocatable(to) && keepsLength(to));
  transfer.erase();
}

void mendTransfers(mlir::ModuleOp module) {
  llvm::SmallVector<cuf::DataTransferOp> refused, copies, temporaries;
  module.walk([&](mlir::Operation *op) {
    if (auto assign = mlir::dyn_cast<hlfir::AssignOp>(op)) {
      keepLowerBounds(assign);
      moveBehindOperands(assign);
    }
    auto transfer = mlir::dyn_cast<cuf::DataTransferOp>(op);
    if (transfer) {
      makeLogical(transfer);
      dropLowerBounds(transfer);
      compareShapes(transfer);
      storeDescriptor(module, transfer);
    }
    if (transfer && isComputed(transfer.getSrc()))
      refused.push_back(transfer);
    else if (transfer && copyOf(transfer))
      copies.push_back(transfer);
    else if (transfer && isOfTemporary(transfer))
      temporaries.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : copies)
    readInPlace(transfer, copyOf(transfer));
  for (cuf::DataTransferOp transfer : refused)
    transferComputed(module, transfer);
  for (cuf::DataTransferOp transfer : temporaries)
    transferTemporary(module, transfer);
}

} // namespace heddle::fortran

// LoweringBridge::lower(program, context).
