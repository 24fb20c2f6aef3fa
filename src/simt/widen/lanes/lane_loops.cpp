// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the active lanes of a warp, for what has no vector form: atomics, calls of the
// runtime, scalar functions.
//
// The lane is known at run time only. Taking an element at a variable place out of a vector
// register costs a trip through memory each time, so the loop's operands are put in memory once,
// before it, and its results collected there:
//
//     store <32 x i32> %x, ptr %array            ; before the loop
//     %lane = cttz(%rest);  %v = load i32, ptr %array + 4 * %lane;  ...
//     %rest = %rest & (%rest - 1)
//
// Results that other blocks use stay there: a vector that is loaded right after its elements were
// stored waits for all these stores, and a loop over lanes that comes later needs no vector.
#include "simt/widen/lanes/lane_loops.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

constexpr unsigned MostUnrolled = 1024;      ///< instructions of a loop, once it is
constexpr unsigned MostUnrolledInAll = 8192; ///< of all loops of a program

/// Where a loop over lanes collects its results: memory, or a vector that is rebuilt each time.
class LaneLoops::Results {
public:
  Results(Emitter &emitter, LaneArrays &arrays, Type *type)
      : builder_(emitter.builder), arrays_(arrays), type_(type) {
    if (!type_ || type_->isVoidTy())
      return;
    inMemory_ = LaneArrays::canHold(type_);
    slot_ = inMemory_ ? arrays_.newResults(type_) : emitter.newSlot(type_, "lanes.result");
    if (!inMemory_)
      builder_.CreateStore(PoisonValue::get(type_), slot_);
  }
  /// Results of several lanes may be set in one block.
  bool independent() const { return !slot_ || inMemory_; }
  void set(Value *value, Value *lane) {
    if (inMemory_)
      builder_.CreateStore(
          value, arrays_.elementAddress(slot_, cast<VectorType>(type_)->getElementType(), lane));
    else if (slot_)
      builder_.CreateStore(arrays_.insertLane(builder_.CreateLoad(type_, slot_), value, lane),
                           slot_);
  }
  Value *all() { return slot_ ? builder_.CreateLoad(type_, slot_) : nullptr; }

private:
  IRBuilder<> &builder_;
  LaneArrays &arrays_;
  Type *type_;
  AllocaInst *slot_ = nullptr;
  bool inMemory_ = false;
};

/// All lanes, `step` in one block. Where the builder stands is the loop, reached from its only
/// predecessor.
void LaneLoops::emitDense(LanesBody several, unsigned step, BasicBlock *done) {
  BasicBlock *loop = builder_.GetInsertBlock(), *from = loop->getSinglePredecessor();
  PHINode *first = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  first->addIncoming(builder_.getInt32(0), from);
  several(first);
  Value *next = builder_.CreateAdd(first, builder_.getInt32(step), "", true, true);
  first->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt32(e_.width)), loop, done);
}

/// The active lanes, lowest first.
void LaneLoops::emitSparse(Results &results, LaneBody body, AllocaInst *rest, BasicBlock *done) {
  BasicBlock *loop = builder_.GetInsertBlock();
  Value *bits = builder_.CreateLoad(rest->getAllocatedType(), rest);
  Value *lane = masks_.lowest(bits);
  results.set(body(lane), lane);
  Value *next =
      builder_.CreateAnd(bits, builder_.CreateSub(bits, ConstantInt::get(bits->getType(), 1)));
  builder_.CreateStore(next, rest);
  builder_.CreateCondBr(builder_.CreateIsNotNull(next), loop, done);
}

/// The loop over the active lanes, and one over all if `step` is more than 1.
Value *LaneLoops::run(Results &results, LaneBody body, LanesBody several, unsigned step) {
  BasicBlock *sparse = e_.newBlock("lane");
  BasicBlock *done = e_.newBlock("lanes.done");
  Value *bits = masks_.integer(masks_.active());
  AllocaInst *rest = e_.newSlot(bits->getType(), "lanes.rest");
  builder_.CreateStore(bits, rest);
  LaneArrays::Loop outer;
  if (step > 1) {
    BasicBlock *dense = e_.newBlock("lanes");
    outer = arrays_.enter(builder_.CreateCondBr(
        builder_.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType())), dense, sparse));
    builder_.SetInsertPoint(dense);
    emitDense(several, step, done);
  } else {
    outer = arrays_.enter(builder_.CreateBr(sparse));
  }
  builder_.SetInsertPoint(sparse);
  emitSparse(results, body, rest, done);
  builder_.SetInsertPoint(done);
  arrays_.leave(std::move(outer));
  return results.all();
}

Value *LaneLoops::forEachLane(Type *resultType, LaneBody body, unsigned unroll) {
  if (e_.width == 1)
    return body(builder_.getInt32(0));
  Results results(e_, arrays_, resultType);
  unsigned step = results.independent() ? std::min(unroll, e_.width) : 1;
  auto several = [&](Value *first) {
    for (unsigned i = 0; i < step; ++i) {
      Value *lane = i == 0 ? first
                           : builder_.CreateAdd(first, builder_.getInt32(i), "", /*HasNUW=*/true,
                                                /*HasNSW=*/true);
      results.set(body(lane), lane);
    }
  };
  return run(results, body, several, step);
}

void LaneLoops::forEachLane(LaneBody body, LanesBody several, unsigned step) {
  Results none(e_, arrays_, nullptr);
  run(none, body, several, step);
}

/// Then what the loop collects in memory is in registers.
static void unrollFully(BranchInst &latch) {
  LLVMContext &context = latch.getContext();
  Metadata *name = MDString::get(context, "llvm.loop.unroll.full");
  MDNode *loop = MDNode::getDistinct(context, {nullptr, MDNode::get(context, name)});
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(LLVMContext::MD_loop, loop);
}

void LaneLoops::forEachLaneInRange(function_ref<void(Value *)> body) {
  Type *i32 = builder_.getInt32Ty();
  Value *bits = masks_.integer(masks_.active()), *one = ConstantInt::get(bits->getType(), 1);
  AllocaInst *rest = e_.newSlot(bits->getType(), "lanes.rest");
  builder_.CreateStore(bits, rest);
  Value *first = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
  Value *low = builder_.CreateLShr(bits, first);
  Value *gaps = builder_.CreateAnd(low, builder_.CreateAdd(low, one));
  Value *start = builder_.CreateZExtOrTrunc(first, i32);
  Value *end = builder_.CreateAdd(
      start,
      builder_.CreateZExtOrTrunc(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), i32));
  BasicBlock *range = e_.newBlock("range");
  BasicBlock *sparse = e_.newBlock("lane");
  BasicBlock *done = e_.newBlock("lanes.done");
  LaneArrays::Loop outer =
      arrays_.enter(builder_.CreateCondBr(builder_.CreateIsNull(gaps), range, sparse));
  BasicBlock *from = builder_.GetInsertBlock();

  builder_.SetInsertPoint(range);
  PHINode *lane = builder_.CreatePHI(i32, 2);
  lane->addIncoming(start, from);
  body(lane);
  Value *next =
      builder_.CreateAdd(lane, builder_.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  lane->addIncoming(next, range);
  BranchInst *latch = builder_.CreateCondBr(builder_.CreateICmpULT(next, end), range, done);
  unsigned size = e_.width * range->size();
  if (isa<Constant>(bits) && size <= MostUnrolled && unrolled_ + size <= MostUnrolledInAll) {
    unrolled_ += size;
    unrollFully(*latch);
  }

  builder_.SetInsertPoint(sparse);
  Results none(e_, arrays_, nullptr);
  auto plain = [&](Value *active) -> Value * {
    body(active);
    return nullptr;
  };
  emitSparse(none, plain, rest, done);
  builder_.SetInsertPoint(done);
  arrays_.leave(std::move(outer));
}

} // namespace heddle::simt
