// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One change of an mbarrier object. A compare-and-swap does all of it, the beginning of the next
// phase too, so that threads of one warp may end a phase and arrive for the next one:
//
//     i64 __heddle_mbarrier_change(ptr barrier, i32 arrivals, i32 drops, i64 bytes)
//       before = volatile *barrier
//       do
//         missing = before.missing - arrivals; expected = before.expected - drops
//         outstanding = before.outstanding + bytes
//         if (missing == 0 && outstanding == 0) missing = expected, parity ^= 1
//       while (!compareAndSwap(barrier, before, now))
//       return before
#include "simt/lower/mbarrier.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned ExpectedAt = 20, OutstandingAt = 40;
constexpr uint64_t Count = 0xfffff, Bytes = uint64_t(0x7fffff) << OutstandingAt,
                   Parity = uint64_t(1) << 63;

/// The object after the change.
Value *changed(IRBuilder<> &builder, Value *before, Value *arrivals, Value *drops, Value *bytes) {
  Value *missing = builder.CreateSub(builder.CreateAnd(before, Count), arrivals);
  Value *expected =
      builder.CreateSub(builder.CreateAnd(builder.CreateLShr(before, ExpectedAt), Count), drops);
  Value *outstanding =
      builder.CreateAnd(builder.CreateAdd(before, builder.CreateShl(bytes, OutstandingAt)), Bytes);
  Value *isOver = builder.CreateIsNull(builder.CreateOr(missing, outstanding));
  missing = builder.CreateSelect(isOver, expected, missing);
  Value *parity = builder.CreateAnd(before, Parity);
  parity = builder.CreateSelect(isOver, builder.CreateXor(parity, Parity), parity);
  Value *counts =
      builder.CreateOr(builder.CreateAnd(missing, Count), builder.CreateShl(expected, ExpectedAt));
  return builder.CreateOr(builder.CreateOr(parity, outstanding), counts);
}

/// Who shares an mbarrier runs on one worker, so the compiler alone must keep accesses on their
/// sides.
void orderAccesses(IRBuilder<> &builder) {
  builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

} // namespace

void defineBarrierChange(Module &module) {
  Function *function = module.getFunction("__heddle_mbarrier_change");
  if (!function || !function->isDeclaration())
    return;
  function->setLinkage(GlobalValue::InternalLinkage);
  LLVMContext &context = module.getContext();
  BasicBlock *entry = BasicBlock::Create(context, "entry", function);
  BasicBlock *again = BasicBlock::Create(context, "again", function);
  BasicBlock *done = BasicBlock::Create(context, "done", function);
  IRBuilder<> builder(entry);
  Type *i64 = builder.getInt64Ty();
  Value *barrier = function->getArg(0);
  Value *arrivals = builder.CreateZExt(function->getArg(1), i64);
  Value *drops = builder.CreateZExt(function->getArg(2), i64);
  orderAccesses(builder);
  Value *first = builder.CreateLoad(i64, barrier, /*isVolatile=*/true);
  builder.CreateBr(again);
  builder.SetInsertPoint(again);
  PHINode *before = builder.CreatePHI(i64, 2);
  Value *now = changed(builder, before, arrivals, drops, function->getArg(3));
  Value *pair = builder.CreateAtomicCmpXchg(barrier, before, now, MaybeAlign(8),
                                            AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  before->addIncoming(first, entry);
  before->addIncoming(builder.CreateExtractValue(pair, 0), again);
  builder.CreateCondBr(builder.CreateExtractValue(pair, 1), done, again);
  builder.SetInsertPoint(done);
  orderAccesses(builder);
  builder.CreateRet(before);
}

} // namespace heddle::simt
