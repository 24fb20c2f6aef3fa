// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared variables, before Flang's pass gives them their places.
//
// It refuses procedures that have static and dynamic ones. The static ones need no places from it:
// each becomes a variable of the device module in shared memory. Dynamic arrays lie one behind the
// other in the order in which they are declared, and users count on that: the widest come first, so
// that all are aligned. Flang has them by their names.
#include "frontend/fortran/shared_memory.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

bool isStatic(cuf::SharedMemoryOp variable) {
  return variable.getShape().empty() && variable.getTypeparams().empty() &&
         !fir::hasDynamicSize(variable.getInType());
}

void makeGlobal(gpu::GPUFuncOp function, cuf::SharedMemoryOp variable) {
  OpBuilder builder(function);
  std::string name = (function.getName() + "__shared_mem__" + variable.getBindcName().value_or("") +
                      "_" + variable.getUniqName().value_or(""))
                         .str();
  auto attribute = builder.getNamedAttr(
      cuf::getDataAttrName().drop_front(StringRef("cuf.").size()),
      cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Shared));
  fir::GlobalOp::create(builder, variable.getLoc(), name, /*isConstant=*/false, /*isTarget=*/false,
                        variable.getInType(), builder.getStringAttr("internal"),
                        ArrayRef<NamedAttribute>{attribute});
  builder.setInsertionPoint(variable);
  Value address = fir::AddrOfOp::create(builder, variable.getLoc(), variable.getType(),
                                        SymbolRefAttr::get(builder.getContext(), name));
  variable.replaceAllUsesWith(address);
  variable.erase();
}

std::pair<unsigned, unsigned> placeOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? std::pair(place.getLine(), place.getColumn()) : std::pair(0u, 0u);
}

/// Moves what stands behind `at` in front of it, with what it is computed from.
void moveInFront(Operation *op, Operation *at) {
  if (!op || op->getBlock() != at->getBlock() || op->isBeforeInBlock(at))
    return;
  for (Value operand : op->getOperands())
    moveInFront(operand.getDefiningOp(), at);
  op->moveBefore(at);
}

void orderAsDeclared(SmallVector<cuf::SharedMemoryOp> variables) {
  if (variables.size() < 2)
    return;
  OpBuilder builder(variables.front());
  auto at = fir::UndefOp::create(builder, variables.front().getLoc(), builder.getI1Type());
  llvm::stable_sort(variables, [](auto a, auto b) { return placeOf(a) < placeOf(b); });
  for (cuf::SharedMemoryOp variable : variables)
    moveInFront(variable, at);
  at.erase();
}

} // namespace

void arrangeSharedMemory(ModuleOp module) {
  module.walk([](gpu::GPUFuncOp function) {
    SmallVector<cuf::SharedMemoryOp> fixed, dynamic;
    function.walk([&](cuf::SharedMemoryOp variable) {
      (isStatic(variable) ? fixed : dynamic).push_back(variable);
    });
    if (dynamic.empty())
      return;
    for (cuf::SharedMemoryOp variable : fixed)
      makeGlobal(function, variable);
    orderAsDeclared(std::move(dynamic));
  });
}

} // namespace heddle::fortran
