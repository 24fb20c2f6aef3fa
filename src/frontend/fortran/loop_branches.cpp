// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a body has branches (SELECT CASE, CYCLE), Flang 22 leaves the loops themselves in it, with
// counters:
//
//   variable = the iteration's index          the block argument
//   ...
//   counter = number of iterations
//   variable = lower bound
//   while (counter > 0) ...
//
// They become loops of one iteration, the kernel's; CYCLE is a branch to the loop's end. What
// leaves the loops otherwise, an EXIT, is an error.
#include "frontend/fortran/loop_branches.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// Whether nothing but the test that follows the counter leaves the loop.
bool leavesByTest(fir::StoreOp counter) {
  Block *before = counter->getBlock();
  Block *head = before->getNumSuccessors() == 1 ? before->getSuccessor(0) : nullptr;
  auto test = head ? dyn_cast<cf::CondBranchOp>(head->getTerminator()) : nullptr;
  return test && test.getFalseDest()->getSinglePredecessor() == head;
}

LogicalResult refuse(cuf::KernelOp loops) {
  return loops.emitError("a CUF loop with these branches is not supported");
}

} // namespace

LogicalResult keepOneIteration(cuf::KernelOp loops) {
  for (BlockArgument index : loops.getRegion().front().getArguments()) {
    auto convert = index.hasOneUse() ? dyn_cast<fir::ConvertOp>(*index.user_begin()) : nullptr;
    auto set =
        convert && convert->hasOneUse() ? dyn_cast<fir::StoreOp>(*convert->user_begin()) : nullptr;
    if (!set)
      return refuse(loops);
    fir::StoreOp first;
    loops.getRegion().walk([&](fir::StoreOp store) {
      if (!first && store != set && store.getMemref() == set.getMemref())
        first = store;
    });
    auto counter = first ? dyn_cast_or_null<fir::StoreOp>(first->getPrevNode()) : nullptr;
    if (!counter || !counter.getMemref().getDefiningOp<fir::AllocaOp>() ||
        !isa<IntegerType>(counter.getValue().getType()))
      return refuse(loops);
    if (!leavesByTest(counter))
      return loops.emitError("EXIT out of a CUF loop, or CYCLE of an outer one");
    OpBuilder builder(counter);
    counter.getValueMutable().assign(arith::ConstantOp::create(
        builder, counter.getLoc(), builder.getIntegerAttr(counter.getValue().getType(), 1)));
    first.getValueMutable().assign(convert);
  }
  return success();
}

} // namespace heddle::fortran
