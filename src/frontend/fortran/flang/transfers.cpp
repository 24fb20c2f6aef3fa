// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults in Flang 22's lowering of assignments between device and host. Its verifier refuses what
// comes of the first two; the others would be wrong.
//
//   b_d = a_d, x = b_d(3), of different kinds   a transfer of what the host has converted itself
//     -> wait; temporary = conversion; transfer of the temporary, or an assignment if it stays on
//     the host
//   a(2:n:2) = b_d(1:5), of different kinds     hlfir.assign stands in front of the operations that make its left side
//     -> it moves behind them
//   l_d(3) = .false.                            a transfer of one bit as if it were the logical in memory
//     -> a transfer of what the bit is converted to
//   a(2:n:2) = b_d(1:5), of different kinds     the copy of the device's elements is never freed
//     -> it is, behind the last operation that reads it
//   a_d = f(n), an array of any size            a transfer of a descriptor that is not in memory
//     -> the descriptor is stored, and transferred from there
// (Those of text: text.cpp.)
#include "frontend/fortran/flang/hooks.h"

#include "flang/Lower/Bridge.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

#include "mlir/IR/Matchers.h"

namespace heddle::fortran {

namespace {

/// What lib/fortran has for host code that reads device memory itself.
constexpr const char *Wait = "heddleFortranWait";

/// Values that the host computes, but for constants, which a transfer may have.
bool isComputed(mlir::Value source) {
  mlir::Type type = source.getType();
  bool isValue = mlir::isa<hlfir::ExprType>(type) || fir::isa_trivial(type);
  return isValue && source.getDefiningOp() && !mlir::matchPattern(source, mlir::m_Constant());
}

/// Where the computation of a scalar or of an array's elements begins to read.
mlir::Operation *beginOf(mlir::Value source) {
  mlir::Operation *op = source.getDefiningOp();
  while (mlir::isa<fir::ConvertOp>(op) && op->getOperand(0).getDefiningOp())
    op = op->getOperand(0).getDefiningOp();
  return op;
}

void transferComputed(mlir::ModuleOp module, cuf::DataTransferOp transfer) {
  mlir::Location location = transfer.getLoc();
  mlir::Value source = transfer.getSrc(), to = transfer.getDst();
  fir::FirOpBuilder builder(beginOf(source), fir::getKindMapping(module));
  auto type = mlir::FunctionType::get(builder.getContext(), {}, {});
  fir::CallOp::create(builder, location, builder.createFunction(location, Wait, type));
  builder.setInsertionPoint(transfer);
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost) {
    hlfir::AssignOp::create(builder, location, source, to);
  } else {
    hlfir::AssociateOp temporary =
        hlfir::genAssociateExpr(location, builder, hlfir::Entity{source}, source.getType(), ".cuf");
    auto kind =
        cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
    cuf::DataTransferOp::create(builder, location, temporary.getBase(), to, /*shape=*/nullptr,
                                kind);
    hlfir::EndAssociateOp::create(builder, location, temporary);
  }
  transfer.erase();
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

/// Where what is computed from memory refers to it still.
bool refersToMemory(mlir::Type type) {
  return mlir::isa<hlfir::ExprType>(type) || fir::isa_ref_type(type) || fir::isa_box_type(type);
}

/// The last operation of its block that `memory` takes part in; null if others have to do with it.
mlir::Operation *lastUse(fir::AllocMemOp memory) {
  mlir::Operation *last = memory;
  llvm::SmallVector<mlir::Operation *> reached = {memory};
  llvm::SmallPtrSet<mlir::Operation *, 8> seen;
  while (!reached.empty())
    for (mlir::Operation *user : reached.pop_back_val()->getUsers()) {
      mlir::Operation *here = memory->getBlock()->findAncestorOpInBlock(*user);
      auto store = mlir::dyn_cast<fir::StoreOp>(user);
      bool isKept = store && refersToMemory(store.getValue().getType());
      if (!here || isKept || mlir::isa<fir::FreeMemOp>(user))
        return nullptr;
      if (last->isBeforeInBlock(here))
        last = here;
      for (mlir::Operation *op : {user, here})
        if (llvm::any_of(op->getResultTypes(), refersToMemory) && seen.insert(op).second)
          reached.push_back(op);
    }
  return last;
}

/// Of Flang's copies of device memory, which it names so.
void freeCopy(fir::AllocMemOp memory) {
  if (memory.getBindcName() != ".tmp")
    return;
  if (mlir::Operation *last = lastUse(memory)) {
    mlir::OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    fir::FreeMemOp::create(builder, memory.getLoc(), memory);
  }
}

void moveBehindOperands(hlfir::AssignOp assign) {
  mlir::Operation *left = assign.getLhs().getDefiningOp();
  if (left && left->getBlock() == assign->getBlock() && assign->isBeforeInBlock(left))
    assign->moveAfter(left);
}

} // namespace

void mendTransfers(mlir::ModuleOp module) {
  llvm::SmallVector<cuf::DataTransferOp> refused;
  module.walk([&](mlir::Operation *op) {
    if (auto assign = mlir::dyn_cast<hlfir::AssignOp>(op))
      moveBehindOperands(assign);
    auto transfer = mlir::dyn_cast<cuf::DataTransferOp>(op);
    if (transfer) {
      makeLogical(transfer);
      storeDescriptor(module, transfer);
    }
    if (transfer && isComputed(transfer.getSrc()))
      refused.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : refused)
    transferComputed(module, transfer);
  module.walk(freeCopy);
}

} // namespace heddle::fortran

// LoweringBridge::lower(program, context).
using Fortran::lower::LoweringBridge;
extern "C" {
void lowerAsFlang(
    LoweringBridge *, const Fortran::parser::Program &,
    const Fortran::semantics::SemanticsContext
        &) __asm__("__real__ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7Program"
                   "ERKNS_9semantics16SemanticsContextE");
void lowerAndMend(
    LoweringBridge *, const Fortran::parser::Program &,
    const Fortran::semantics::SemanticsContext
        &) __asm__("__wrap__ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7Program"
                   "ERKNS_9semantics16SemanticsContextE");

void lowerAndMend(LoweringBridge *bridge, const Fortran::parser::Program &program,
                  const Fortran::semantics::SemanticsContext &context) {
  lowerAsFlang(bridge, program, context);
  heddle::fortran::mendText(bridge->getModule());
  heddle::fortran::mendTransfers(bridge->getModule());
  heddle::fortran::mendExtents(bridge->getModule());
  heddle::fortran::mendAtomics(bridge->getModule());
  heddle::fortran::mendAllocations(bridge->getModule());
}
}
