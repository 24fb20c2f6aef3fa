// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in shared memory, bulk copies, and clusters (PTX ISA, "mbarrier", "cp.async.bulk",
// "barrier.cluster", "mapa"). What the bits of a barrier are is said in device_mbarrier.h; a change
// of one is a function of the device library. Copies are done at once, so a barrier that waits for
// their bytes is told of them at once, too.
//
// A block that asks to run in the place of one that has not begun (clusterlaunchcontrol) hears that
// there is none left: the blocks of a grid have been dealt out when its first one runs.
#include "frontend/ptx/memory_modifiers.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Takes what is the same for all of them: order, scope, space and .b64.
StringRef takeBarrierModifiers(Emitter &e) {
  e.takeOneOf({"relaxed", "release", "acquire"});
  takeScope(e);
  StringRef space = takeSpace(e);
  e.failUnless(e.take("b64"), "expected .b64");
  return space;
}

/// The state before.
Value *change(Emitter &e, Value *barrier, Value *arrivals, Value *drops, Value *bytes) {
  return e.library("__heddle_mbarrier_change", e.b.getInt64Ty(), {barrier, arrivals, drops, bytes},
                   /*readsNothing=*/false);
}

Value *bytesOf(Emitter &e, unsigned operand) {
  return e.b.CreateZExt(e.bits(operand, 32), e.b.getInt64Ty());
}

Value *none(Emitter &e) { return e.number(0, 64); }

/// As in device_mbarrier.h, for checked code.
enum class Step { Begins, Ends, Looks };
void note(Emitter &e, Value *barrier, Step step, Value *state) {
  e.library("__heddle_mbarrier_note", e.b.getVoidTy(), {barrier, e.number(unsigned(step)), state},
            /*readsNothing=*/false);
}

} // namespace

void completeBytes(Emitter &e, Value *barrier, Value *bytes) {
  change(e, barrier, e.number(0), e.number(0),
         e.b.CreateNeg(e.b.CreateZExt(bytes, e.b.getInt64Ty())));
}

void lowerMbarrierInit(Emitter &e) {
  Value *barrier = e.address(0, takeBarrierModifiers(e));
  Value *count = e.b.CreateZExt(e.bits(1, 32), e.b.getInt64Ty());
  note(e, barrier, Step::Begins, count);
  Value *state = e.b.CreateOr(e.b.CreateShl(count, 20), count);
  e.b.CreateAlignedStore(state, barrier, Align(8), /*isVolatile=*/true);
}

/// The memory may be used for anything else.
void lowerMbarrierInval(Emitter &e) {
  note(e, e.address(0, takeBarrierModifiers(e)), Step::Ends, none(e));
}

/// mbarrier.arrive state, [barrier] {, count};   with .expect_tx: [barrier], bytes
void lowerMbarrierArrive(Emitter &e, bool drops) {
  bool expects = e.take("expect_tx");
  e.take("noComplete");
  StringRef space = takeBarrierModifiers(e);
  Value *barrier = e.address(1, space);
  Value *count = !expects && e.count() > 2 ? e.bits(2, 32) : e.number(1);
  Value *bytes = expects ? bytesOf(e, 2) : none(e);
  e.write(0, change(e, barrier, count, drops ? count : e.number(0), bytes));
}
void lowerMbarrierArrive(Emitter &e) { lowerMbarrierArrive(e, false); }
void lowerMbarrierArriveDrop(Emitter &e) { lowerMbarrierArrive(e, true); }

void lowerMbarrierExpectTx(Emitter &e) {
  Value *barrier = e.address(0, takeBarrierModifiers(e));
  change(e, barrier, e.number(0), e.number(0), bytesOf(e, 1));
}
void lowerMbarrierCompleteTx(Emitter &e) {
  Value *barrier = e.address(0, takeBarrierModifiers(e));
  completeBytes(e, barrier, e.bits(1, 32));
}

void lowerMbarrierPendingCount(Emitter &e) {
  e.failUnless(e.take("b64"), "expected .b64");
  e.write(0, e.b.CreateAnd(e.b.CreateTrunc(e.bits(1, 64), e.b.getInt32Ty()), e.number(0xfffff)));
}

/// test_wait and try_wait: whether the phase of a state, or of a parity, is over. A hint of how
/// long to wait is only that.
void lowerMbarrierWait(Emitter &e) {
  bool isParity = e.take("parity");
  Value *barrier = e.address(1, takeBarrierModifiers(e));
  Value *state =
      isParity ? e.b.CreateShl(e.b.CreateZExt(e.bits(2, 32), e.b.getInt64Ty()), 63) : e.bits(2, 64);
  note(e, barrier, Step::Looks, state);
  Value *now = e.b.CreateAlignedLoad(e.b.getInt64Ty(), barrier, Align(8), /*isVolatile=*/true);
  e.b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  e.write(0, e.b.CreateICmpSLT(e.b.CreateXor(now, state), none(e)));
}

/// The thread's copies are complete: with .noinc it arrives; otherwise it would have to be expected
/// first, and both together are nothing.
void lowerCpAsyncArrive(Emitter &e) {
  bool arrives = e.take("noinc");
  Value *barrier = e.address(0, takeBarrierModifiers(e));
  noteAsyncArrival(e);
  if (arrives)
    change(e, barrier, e.number(1), e.number(0), none(e));
}

namespace {

/// The same place in the shared memory of block `rank` of the cluster.
Value *inBlock(Emitter &e, Value *pointer, Value *rank) {
  return e.intrinsic(Intrinsic::nvvm_mapa, {pointer, rank});
}

/// Emits `body` for the rank of each block whose bit a mask has.
void forBlocks(Emitter &e, Value *mask, function_ref<void(Value *)> body) {
  IRBuilder<> &b = e.b;
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *loop = BasicBlock::Create(e.context(), "", before->getParent());
  BasicBlock *done = BasicBlock::Create(e.context(), "", before->getParent());
  Value *all = b.CreateZExt(mask, b.getInt32Ty());
  b.CreateCondBr(b.CreateICmpEQ(all, e.number(0)), done, loop);
  b.SetInsertPoint(loop);
  PHINode *left = b.CreatePHI(b.getInt32Ty(), 2);
  Value *rank = b.CreateBinaryIntrinsic(Intrinsic::cttz, left, b.getTrue());
  body(rank);
  Value *rest = b.CreateAnd(left, b.CreateSub(left, e.number(1)));
  left->addIncoming(all, before);
  left->addIncoming(rest, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(rest, e.number(0)), done, loop);
  b.SetInsertPoint(done);
}

} // namespace

/// cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes{.multicast::cluster} [to], [from], bytes,
/// [barrier] {, mask}; cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes;
/// With .multicast::cluster a mask of blocks follows the barrier.
void lowerBulkCopy(Emitter &e) {
  StringRef to = takeSpace(e), from = takeSpace(e);
  bool isTold = e.take("mbarrier::complete_tx::bytes");
  e.failUnless(isTold || e.take("bulk_group"), "expected how the copy's end is told");
  bool isMulticast = e.take("multicast::cluster");
  takeCacheHints(e);
  e.failUnless(!isMulticast || (isTold && to == "shared::cluster" && from == "global"),
               "expected from .global to .shared::cluster");
  Value *target = e.address(0, to), *source = e.address(1, from);
  if (isMulticast) {
    Value *blocks = e.b.CreateZExt(e.bits(4, 16), e.b.getInt32Ty());
    e.library("__heddle_bulk_multicast", e.b.getVoidTy(),
              {target, source, e.bits(2, 32), e.address(3, to), blocks}, /*readsNothing=*/false);
    return;
  }
  e.b.CreateMemCpy(target, Align(16), source, Align(16), bytesOf(e, 2));
  if (!isTold)
    return noteBulkRead(e, source, e.bits(2, 32));
  Value *barrier = e.address(3, to);
  completeBytes(e, barrier, e.bits(2, 32));
  noteBulkWrite(e, target, e.bits(2, 32), barrier);
}

/// clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [answer], [barrier]; with
/// .multicast::cluster::all to all blocks of the cluster. An answer of zeros is no.
void lowerTryCancel(Emitter &e) {
  e.take("async");
  e.take("shared::cta");
  e.failUnless(e.take("mbarrier::complete_tx::bytes"), "expected how the answer is told");
  const bool isMulticast = e.take("multicast::cluster::all");
  e.failUnless(e.take("b128"), "expected .b128");
  Value *answer = e.address(0, "shared"), *barrier = e.address(1, "shared");
  auto tell = [&](Value *where, Value *whom) {
    e.b.CreateAlignedStore(e.number(0, 128), where, Align(16));
    completeBytes(e, whom, e.number(16));
  };
  if (!isMulticast)
    return tell(answer, barrier);
  Value *count = e.intrinsic(Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, {});
  Value *all = e.b.CreateSub(e.b.CreateShl(e.number(1), count), e.number(1));
  forBlocks(e, all,
            [&](Value *rank) { tell(inBlock(e, answer, rank), inBlock(e, barrier, rank)); });
}

/// ....is_canceled.pred.b128 p, answer;
void lowerIsCanceled(Emitter &e) {
  e.failUnless(e.take("pred") && e.take("b128"), "expected .pred.b128");
  e.write(0, e.b.CreateICmpNE(e.bits(1, 128), e.number(0, 128)));
}

/// ....get_first_ctaid.v4.b32.b128 {x, y, z, _}, answer; get_first_ctaid::y.b32.b128 y, answer; the
/// words of the answer, which mean nothing where it is no.
void lowerFirstBlock(Emitter &e) {
  const size_t axis = StringRef("xyz").find(e.word(2).back());
  const bool isOne = e.word(2).drop_back().ends_with("::");
  e.failUnless(isOne || e.take("v4"), "expected .v4, or ::x, ::y, ::z");
  e.failUnless(e.take("b32") && e.take("b128"), "expected .b32.b128");
  SmallVector<Value *, 2> words = e.split(e.bits(1, 128), *findType("b32"));
  if (isOne)
    return e.write(0, words[axis]);
  SmallVector<Operand, 8> targets = e.elements(0);
  if (targets.size() != 4)
    return e.fail("expected 4 registers");
  for (auto [target, word] : zip_equal(targets, words))
    e.write(target, word);
}

/// barrier.cluster.arrive and wait.
void lowerClusterBarrier(Emitter &e) {
  bool waits = e.take("wait");
  e.failUnless(waits || e.take("arrive"), "expected .arrive or .wait");
  bool isRelaxed = e.take("relaxed");
  e.takeOneOf({"acquire", "release"});
  bool isAligned = e.take("aligned");
  auto choose = [&](Intrinsic::ID plain, Intrinsic::ID aligned) {
    return isAligned ? aligned : plain;
  };
  e.intrinsic(waits       ? choose(Intrinsic::nvvm_barrier_cluster_wait,
                                   Intrinsic::nvvm_barrier_cluster_wait_aligned)
              : isRelaxed ? choose(Intrinsic::nvvm_barrier_cluster_arrive_relaxed,
                                   Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned)
                          : choose(Intrinsic::nvvm_barrier_cluster_arrive,
                                   Intrinsic::nvvm_barrier_cluster_arrive_aligned),
              {});
}

/// The address of the same place in the shared memory of another block: a generic one, or with
/// .shared::cluster one of the window (Emitter::address).
void lowerMapa(Emitter &e) {
  bool isWindow = e.take("shared::cluster");
  PtxType type = e.takeType();
  Value *rank = e.bits(2, 32);
  if (!isWindow) {
    e.failUnless(type == "u64", "expected .u64");
    Value *pointer = e.b.CreateIntToPtr(e.bits(1, 64), e.b.getPtrTy());
    return e.write(0, e.intrinsic(Intrinsic::nvvm_mapa, {pointer, rank}));
  }
  Value *offset = e.b.CreateAnd(e.b.CreateTrunc(e.read(1, type), e.b.getInt32Ty()), 0xffffff);
  Value *block = e.b.CreateShl(e.b.CreateAdd(rank, e.number(1)), 24);
  e.write(0, e.b.CreateZExt(e.b.CreateOr(offset, block), e.ir(type)));
}

/// The rank of the block whose shared memory an address lies in.
void lowerGetctarank(Emitter &e) {
  bool isWindow = e.take("shared::cluster");
  PtxType type = e.takeType();
  if (!isWindow) {
    Value *pointer = e.b.CreateIntToPtr(e.read(1, type), e.b.getPtrTy());
    return e.write(0, e.intrinsic(Intrinsic::nvvm_getctarank, {pointer}));
  }
  Value *block = e.b.CreateLShr(e.b.CreateTrunc(e.read(1, type), e.b.getInt32Ty()), 24);
  Value *own = e.intrinsic(Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
  e.write(0, e.b.CreateSelect(e.b.CreateICmpEQ(block, e.number(0)), own,
                              e.b.CreateSub(block, e.number(1))));
}

} // namespace heddle::frontend::ptx
