// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defined assignments of variables on the device (defined_assignments.cpp). Flang 22 has an operation
// for them that keeps the right side in a temporary of the host, and passes the first element of a
// section with gaps. Outside of WHERE and FORALL they become the calls that they are:
//
//   a = d(1:100:2)   hlfir.region_assign { yield %section } to { yield %a } (%r, %l) { fir.call @assign(%l, fir.box_addr %r) }
//     -> %copy = hlfir.copy_in %section; fir.call @assign(%a, fir.box_addr %copy); hlfir.copy_out
//   a = i_d          a temporary of the value
//     -> the variable
#include "frontend/fortran/flang/assignments.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace heddle::fortran {

namespace {

bool isOnDevice(mlir::Value value, const DeviceNames &names) {
  std::optional<cuf::DataAttribute> attribute = attributeOf(value, names);
  return attribute && *attribute != cuf::DataAttribute::Pinned;
}

/// The variable that a right side is, or is the value of; null if it is something else.
mlir::Value variableOf(mlir::Value right) {
  auto load = right.getDefiningOp<fir::LoadOp>();
  return load && fir::isa_trivial(load.getType()) ? load.getMemref() : right;
}

hlfir::YieldOp yieldOf(mlir::Region &region) {
  return mlir::cast<hlfir::YieldOp>(region.back().getTerminator());
}

/// Moves what is in a region in front of the operation that has it.
void moveOut(mlir::Region &region, mlir::Operation *op) {
  mlir::Block &block = region.front();
  auto end = block.mightHaveTerminator() ? block.getTerminator()->getIterator() : block.end();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations(), block.begin(),
                                         end);
}

/// The dummy's value is the variable itself.
void useVariable(mlir::Value value, mlir::Value variable) {
  for (mlir::Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto temporary = mlir::dyn_cast<hlfir::AssociateOp>(user);
    if (!temporary || temporary.getResult(0).getType() != variable.getType())
      continue;
    for (mlir::Value result : temporary->getResults())
      for (mlir::Operation *end : llvm::make_early_inc_range(result.getUsers()))
        if (mlir::isa<hlfir::EndAssociateOp>(end))
          end->erase();
    temporary.getResult(0).replaceAllUsesWith(variable);
    temporary.getResult(1).replaceAllUsesWith(variable);
    temporary.erase();
  }
}

/// A section's address becomes that of a copy without gaps.
void copySection(mlir::Value section) {
  for (mlir::Operation *user : llvm::make_early_inc_range(section.getUsers())) {
    auto address = mlir::dyn_cast<fir::BoxAddrOp>(user);
    if (!address || !address->hasOneUse() || !mlir::isa<fir::CallOp>(*address->user_begin()))
      continue;
    mlir::Location location = address.getLoc();
    fir::FirOpBuilder builder(address,
                              fir::getKindMapping(address->getParentOfType<mlir::ModuleOp>()));
    mlir::Type array = hlfir::getFortranElementOrSequenceType(section.getType());
    mlir::Value place =
        builder.createTemporary(location, fir::BoxType::get(fir::HeapType::get(array)));
    auto copy = hlfir::CopyInOp::create(builder, location, section, place, mlir::Value());
    address.getValMutable().assign(copy.getCopiedIn());
    builder.setInsertionPointAfter(*address->user_begin());
    hlfir::CopyOutOp::create(builder, location, place, copy.getWasCopied(), mlir::Value());
  }
}

void callAssignment(hlfir::RegionAssignOp assign) {
  mlir::Value right = yieldOf(assign.getRhsRegion()).getEntity();
  mlir::Value left = yieldOf(assign.getLhsRegion()).getEntity();
  mlir::Block &call = assign.getUserDefinedAssignment().front();
  call.getArgument(0).replaceAllUsesWith(right);
  call.getArgument(1).replaceAllUsesWith(left);
  moveOut(assign.getRhsRegion(), assign);
  moveOut(assign.getLhsRegion(), assign);
  moveOut(assign.getUserDefinedAssignment(), assign);
  assign.erase();
  mlir::Value variable = variableOf(right);
  if (variable != right)
    useVariable(right, variable);
  else if (mlir::isa<fir::BaseBoxType>(right.getType()))
    copySection(right);
}

} // namespace

void callAssignments(mlir::ModuleOp module, const DeviceNames &names) {
  llvm::SmallVector<hlfir::RegionAssignOp> found;
  module.walk([&](hlfir::RegionAssignOp assign) {
    mlir::Region &call = assign.getUserDefinedAssignment();
    bool isAlone = !mlir::isa<hlfir::OrderedAssignmentTreeOpInterface>(assign->getParentOp());
    if (call.empty() || !isAlone || !yieldOf(assign.getRhsRegion()).getCleanup().empty() ||
        !yieldOf(assign.getLhsRegion()).getCleanup().empty())
      return;
    mlir::Value right = yieldOf(assign.getRhsRegion()).getEntity();
    mlir::Value left = yieldOf(assign.getLhsRegion()).getEntity();
    bool isOfWholes = call.front().getArgument(0).getType() == right.getType() &&
                      call.front().getArgument(1).getType() == left.getType();
    if (isOfWholes && isOnDevice(variableOf(right), names))
      found.push_back(assign);
  });
  for (hlfir::RegionAssignOp assign : found)
    callAssignment(assign);
}

} // namespace heddle::fortran
