// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of warp programs.
//
// In general a read-modify-write runs once for each active lane, in lane order. Two cases are
// better:
//
//  - On shared memory it needs no bus lock, nor a compare-and-swap loop for floats: one core runs
//    all warps of a block in turn, so nobody else can come between its load and its store.
//    Neighbours are one vector load, operation and store.
//  - On one address for all lanes the warp combines its operands first and does one
//    read-modify-write. If the old values are used (a ticket counter), lane l gets the old value
//    plus the operands of the lanes below it.
//
//     atomicrmw add ptr %uniform, i32 %x   ->   %s = reduce.add(select(mask, %x, 0))
//                                               atomicrmw add ptr %uniform, i32 %s
//
// Locked instructions do not overlap: each waits for its cache line. So a compare-and-swap that
// must fail is not tried, and the look at all lanes fetches the lines of those that are:
//
//     cmpxchg %p, %expected, %new     ->    %old = gather %p
//                                           for each lane with %old == %expected: lock cmpxchg
//
// Where the program itself has loaded from the address nothing is looked up again. On one address
// for all lanes a compare-and-swap says what the others will see, too, who fail if they expect
// something else: a round of a loop that tries until it succeeds is one locked instruction.
//
// Legality (test-and-test-and-set):
//  1. The compare-and-swap is relaxed: it orders nothing else, and one that fails is no more than a
//     load. [order]
//  2. It is not volatile. [not volatile]
//  3. There is no fence in the module that would order it with other accesses: behind a release
//     fence the look may see a flag from before another thread took it, while the data that the
//     flag announces is still on its way. jit/memory/load_before_atomic.cpp shows such a program. [fences]
#include "simt/widen/atomics/atomics.h"

#include "simt/widen/atomics/lane_reductions.h"
#include "simt/widen/memory/shared_registers.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

Atomics::Atomics(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
                 LaneLoops &loops)
    : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values),
      lanes_(emitter, arrays, values, loops), groups_(emitter, arrays, values, loops, lanes_),
      deferred_(emitter, masks, arrays, values, loops, lanes_) {}

Value *Atomics::emit(Instruction &instruction) {
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&instruction); cas && e_.width > 1)
    return emitCompareAndSwap(*cas);
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
    if (deferred_.emit(*rmw) || groups_.emit(*rmw))
      return nullptr;
    if (Value *old = emitCombined(*rmw))
      return old;
    if (Value *old = emitContiguous(*rmw))
      return old;
  }
  bool used = !instruction.use_empty();
  return lanes_.emitLanesInTurn(instruction, used ? e_.vectorType(instruction.getType()) : nullptr);
}

/// One read-modify-write for the warp. Null if the operation or the use of its result does not
/// allow it.
Value *Atomics::emitCombined(AtomicRMWInst &rmw) {
  AtomicRMWInst::BinOp op = rmw.getOperation();
  Constant *identity = neutralOperand(op, rmw.getType());
  bool used = !rmw.use_empty();
  if (e_.width == 1 || !identity || !e_.shapes.isUniform(rmw.getPointerOperand()) ||
      (used && op != AtomicRMWInst::Add))
    return nullptr;
  Value *operands = builder_.CreateSelect(masks_.active(), values_.vector(rmw.getValOperand()),
                                          values_.splat(identity));
  Value *total = reduceLanes(builder_, op, operands);
  AtomicRMWInst *one =
      builder_.CreateAtomicRMW(op, values_.scalar(rmw.getPointerOperand()), total, rmw.getAlign(),
                               rmw.getOrdering(), rmw.getSyncScopeID());
  one->setVolatile(rmw.isVolatile());
  Value *result = used ? builder_.CreateAdd(values_.splat(one), sumBelow(builder_, operands))
                       : values_.splat(one);
  if (isShared(e_, rmw.getPointerOperand()))
    lowerAtomicRMWInst(one);
  return result;
}

/// Neighbours in shared memory: one vector load and store.
Value *Atomics::emitContiguous(AtomicRMWInst &rmw) {
  AtomicRMWInst::BinOp op = rmw.getOperation();
  Shape shape = e_.shapes.of(rmw.getPointerOperand());
  Type *element = rmw.getType();
  if (e_.width == 1 || !(neutralOperand(op, element) || op == AtomicRMWInst::Xchg) ||
      !isShared(e_, rmw.getPointerOperand()) || shape.segment != e_.width ||
      shape.stride != e_.sizeOf(element))
    return nullptr;
  Value *address = values_.scalar(rmw.getPointerOperand());
  Type *type = e_.vectorType(element);
  Value *old = builder_.CreateMaskedLoad(type, address, rmw.getAlign(), masks_.active(),
                                         PoisonValue::get(type));
  Value *now = buildAtomicRMWValue(op, builder_, old, values_.vector(rmw.getValOperand()));
  builder_.CreateMaskedStore(now, address, rmw.getAlign(), masks_.active());
  return old;
}

/// The program itself reads the place, and most likely compares: `if (p[i] < 0) atomicCAS(&p[i],
/// ...)`.
static bool programLooks(const AtomicCmpXchgInst &cas) {
  return any_of(cas.getPointerOperand()->users(),
                [](const User *user) { return isa<LoadInst>(user); });
}

bool Atomics::looksFirst(const AtomicCmpXchgInst &cas) const {
  const Type *element = cas.getCompareOperand()->getType();
  Value *address = const_cast<Value *>(cas.getPointerOperand());
  return !isShared(e_, address) && !e_.shapes.isUniform(address) && !cas.isVolatile() &&
         cas.getMergedOrdering() == AtomicOrdering::Monotonic && !e_.context.program.hasFences &&
         !programLooks(cas) && (element->isIntegerTy(32) || element->isIntegerTy(64)) &&
         e_.options.isEnabled("test-and-test-and-set");
}

/// A lane whose expected value is not there fails, and a failed compare-and-swap is a load: one
/// gather serves all of these, and only the others take the lock. It also starts the fetches of all
/// lanes' cache lines at once; locked instructions wait for theirs one by one.
///
///     cmpxchg %p, %expected, %new   ->   %old = gather %p;  %rest = mask & (%old == %expected)
///                                        for each lane of %rest: lock cmpxchg
Value *Atomics::lookAndSwap(AtomicCmpXchgInst &cas, Value *expected) {
  Type *type = expected->getType();
  e_.compilerFence();
  Value *seen =
      builder_.CreateMaskedGather(type, values_.vector(cas.getPointerOperand()), cas.getAlign(),
                                  masks_.active(), PoisonValue::get(type));
  e_.compilerFence();
  Value *mask = masks_.active();
  Value *rest = masks_.activeWhere(builder_.CreateICmpEQ(seen, expected));
  AllocaInst *result = e_.newSlot(type, "cas.old");
  builder_.CreateStore(seen, result);
  BasicBlock *locked = e_.newBlock("cas"), *done = e_.newBlock("cas.done");
  builder_.CreateCondBr(masks_.any(rest), locked, done);
  builder_.SetInsertPoint(locked);
  LaneValues::Local before = values_.save();
  masks_.setActive(rest);
  Value *swapped = lanes_.emitLanesInTurn(cas, type);
  builder_.CreateStore(builder_.CreateSelect(rest, swapped, seen), result);
  masks_.setActive(mask);
  values_.restore(std::move(before));
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  return builder_.CreateLoad(type, result);
}

/// On one address: behind a lane's compare-and-swap all lanes that expect something else than what is
/// there now fail, and see that, as if each came next.
///
///     cmpxchg %p, %expected, %new   ->   loop: %l = first lane of %rest
///                                              %now = cmpxchg %p, %expected[%l], %new[%l]
///                                              %rest = %rest but %l & (%expected == %now)
///                                              br any(%rest), loop, done
///
/// That orders what the program could see in no other way: nothing stands between the two.
Value *Atomics::swapOnOneAddress(AtomicCmpXchgInst &cas, Value *expected) {
  Value *desired = values_.vector(cas.getNewValOperand());
  Value *address = values_.scalar(cas.getPointerOperand());
  Type *type = expected->getType();
  AllocaInst *rest = e_.newSlot(masks_.type(), "cas.rest");
  AllocaInst *result = e_.newSlot(type, "cas.old");
  builder_.CreateStore(masks_.active(), rest);
  builder_.CreateStore(expected, result);
  BasicBlock *loop = e_.newBlock("cas"), *done = e_.newBlock("cas.done");
  builder_.CreateCondBr(masks_.any(masks_.active()), loop, done);
  builder_.SetInsertPoint(loop);
  Value *waiting = builder_.CreateLoad(masks_.type(), rest);
  Value *lane = masks_.lowest(masks_.integer(waiting));
  auto *one = cast<AtomicCmpXchgInst>(cas.clone());
  one->setOperand(0, address);
  one->setOperand(1, builder_.CreateExtractElement(expected, lane));
  one->setOperand(2, builder_.CreateExtractElement(desired, lane));
  builder_.Insert(one);
  Value *old = builder_.CreateExtractValue(one, 0);
  Value *succeeds = builder_.CreateExtractValue(one, 1);
  Value *now = builder_.CreateSelect(succeeds, one->getNewValOperand(), old);
  Value *numbers = builder_.CreateStepVector(e_.vectorType(builder_.getInt32Ty()));
  Value *others = builder_.CreateAnd(
      waiting, builder_.CreateICmpNE(numbers, builder_.CreateVectorSplat(e_.width, lane)));
  Value *seen = values_.splat(now);
  Value *next = builder_.CreateAnd(others, builder_.CreateICmpEQ(expected, seen));
  Value *results = builder_.CreateSelect(others, seen, builder_.CreateLoad(type, result));
  builder_.CreateStore(builder_.CreateInsertElement(results, old, lane), result);
  builder_.CreateStore(next, rest);
  builder_.CreateCondBr(masks_.any(next), loop, done);
  if (isShared(e_, cas.getPointerOperand()))
    lowerAtomicCmpXchgInst(one);
  builder_.SetInsertPoint(done);
  return builder_.CreateLoad(type, result);
}

Value *Atomics::emitCompareAndSwap(AtomicCmpXchgInst &cas) {
  Value *expected = values_.vector(cas.getCompareOperand());
  bool isOne = e_.shapes.isUniform(cas.getPointerOperand()) && !cas.isVolatile();
  Value *old = isOne             ? swapOnOneAddress(cas, expected)
               : looksFirst(cas) ? lookAndSwap(cas, expected)
                                 : lanes_.emitLanesInTurn(cas, expected->getType());
  Value *both = PoisonValue::get(e_.vectorType(cas.getType()));
  both = builder_.CreateInsertValue(both, old, 0);
  return builder_.CreateInsertValue(both, builder_.CreateICmpEQ(old, expected), 1);
}

} // namespace heddle::simt
