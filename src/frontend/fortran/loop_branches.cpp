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
// They become loops of one iteration, the kernel's; CYCLE is a branch to the loop's end. A loop
// that is left otherwise, by its EXIT or CYCLE of an outer one, stays as it is with all that are in
// it: its iterations run in order.
#include "frontend/fortran/loop_branches.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// A loop that is left in the body.
struct InnerLoop {
  fir::ConvertOp index;  ///< the iteration's
  fir::StoreOp counter;  ///< is set to the number of iterations
  fir::StoreOp variable; ///< is set to the lower bound
};

/// None if the loop has another form.
std::optional<InnerLoop> findLoop(cuf::KernelOp loops, BlockArgument index) {
  auto convert = index.hasOneUse() ? dyn_cast<fir::ConvertOp>(*index.user_begin()) : nullptr;
  auto set =
      convert && convert->hasOneUse() ? dyn_cast<fir::StoreOp>(*convert->user_begin()) : nullptr;
  if (!set)
    return {};
  fir::StoreOp first;
  loops.getRegion().walk([&](fir::StoreOp store) {
    if (!first && store != set && store.getMemref() == set.getMemref())
      first = store;
  });
  auto counter = first ? dyn_cast_or_null<fir::StoreOp>(first->getPrevNode()) : nullptr;
  if (!counter || !counter.getMemref().getDefiningOp<fir::AllocaOp>() ||
      !isa<IntegerType>(counter.getValue().getType()))
    return {};
  return InnerLoop{convert, counter, first};
}

/// The branch by which the loop is left but for the test that follows the counter; null if there is
/// none.
Operation *otherEnd(cuf::KernelOp loops, fir::StoreOp counter) {
  Block *before = counter->getBlock();
  Block *head = before->getNumSuccessors() == 1 ? before->getSuccessor(0) : nullptr;
  auto test = head ? dyn_cast<cf::CondBranchOp>(head->getTerminator()) : nullptr;
  if (!test)
    return loops;
  for (Block *from : test.getFalseDest()->getPredecessors())
    if (from != head)
      return from->getTerminator();
  return nullptr;
}

} // namespace

FailureOr<unsigned> keepOneIteration(cuf::KernelOp loops) {
  unsigned kept = 0;
  for (BlockArgument index : loops.getRegion().front().getArguments()) {
    std::optional<InnerLoop> loop = findLoop(loops, index);
    if (!loop)
      return loops.emitError("a CUF loop with these branches is not supported");
    if (Operation *end = otherEnd(loops, loop->counter)) {
      emitWarning(end->getLoc(), kept == 0 ? "this leaves a CUF loop, which runs in one thread"
                                           : "this leaves a loop of a CUF loop's nest; each "
                                             "thread runs it, and those inside, in order");
      break;
    }
    OpBuilder builder(loop->counter);
    Type type = loop->counter.getValue().getType();
    loop->counter.getValueMutable().assign(arith::ConstantOp::create(
        builder, loop->counter.getLoc(), builder.getIntegerAttr(type, 1)));
    loop->variable.getValueMutable().assign(loop->index);
    ++kept;
  }
  return kept;
}

} // namespace heddle::fortran
