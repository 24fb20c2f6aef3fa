// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences and what ends or delays a thread (PTX ISA, "Parallel Synchronization and
// Communication Instructions", "Miscellaneous Instructions", "Control Flow Instructions").
#include "frontend/ptx/memory_modifiers.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Words in shared memory, one for each named barrier.
GlobalVariable *barrierSums(Module &module) {
  constexpr unsigned Barriers = 16, Shared = 3;
  StringRef name = "heddle.barrier_sums";
  if (GlobalVariable *found = module.getGlobalVariable(name, /*AllowInternal=*/true))
    return found;
  Type *type = ArrayType::get(Type::getInt32Ty(module.getContext()), Barriers);
  return new GlobalVariable(module, type, false, GlobalValue::InternalLinkage,
                            PoisonValue::get(type), name, nullptr, GlobalValue::NotThreadLocal,
                            Shared);
}

/// A reduction over some threads of the block, as the runner has only one over all. Between three
/// barriers of these threads the word is cleared, those whose predicate counts add one, and all
/// read; the next one's first barrier waits for the readers.
void emitCountedReduction(Emitter &e, StringRef operation, bool isAligned) {
  IRBuilder<> &b = e.b;
  Value *barrier = e.bits(1, 32), *threads = e.bits(2, 32), *predicate = e.predicate(3);
  GlobalVariable *sums = barrierSums(*b.GetInsertBlock()->getModule());
  Value *base = b.CreateAddrSpaceCast(sums, b.getPtrTy());
  Value *place =
      b.CreateGEP(b.getInt32Ty(), base, b.CreateZExt(b.CreateAnd(barrier, 15), b.getInt64Ty()));
  auto wait = [&] {
    e.intrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_count
                          : Intrinsic::nvvm_barrier_cta_sync_count,
                {barrier, threads});
  };
  wait();
  b.CreateAlignedStore(e.number(0), place, Align(4), /*isVolatile=*/true);
  wait();
  Value *counts = operation == "and" ? b.CreateNot(predicate) : predicate;
  b.CreateAtomicRMW(AtomicRMWInst::Add, place, b.CreateZExt(counts, b.getInt32Ty()), Align(4),
                    AtomicOrdering::Monotonic);
  wait();
  Value *sum = b.CreateAlignedLoad(b.getInt32Ty(), place, Align(4), /*isVolatile=*/true);
  if (operation == "popc")
    return e.write(0, sum);
  e.write(0,
          operation == "and" ? b.CreateICmpEQ(sum, e.number(0)) : b.CreateICmpNE(sum, e.number(0)));
}

void emitReduction(Emitter &e, bool isAligned) {
  StringRef operation = e.takeOneOf({"popc", "and", "or"});
  PtxType type = e.takeType();
  e.failUnless(type == (operation == "popc" ? "u32" : "pred"), "expected another type");
  if (e.count() > 3)
    return emitCountedReduction(e, operation, isAligned);
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(operation)
                         .Case("popc", isAligned ? Intrinsic::nvvm_barrier_cta_red_popc_aligned_all
                                                 : Intrinsic::nvvm_barrier_cta_red_popc_all)
                         .Case("and", isAligned ? Intrinsic::nvvm_barrier_cta_red_and_aligned_all
                                                : Intrinsic::nvvm_barrier_cta_red_and_all)
                         .Default(isAligned ? Intrinsic::nvvm_barrier_cta_red_or_aligned_all
                                            : Intrinsic::nvvm_barrier_cta_red_or_all);
  e.write(0, e.intrinsic(id, {e.bits(1, 32), e.predicate(2)}));
}

} // namespace

/// bar{.cta} is barrier{.cta} with .aligned.
void lowerBarrier(Emitter &e) {
  bool isAligned = e.opcode() == "bar" || e.take("aligned");
  e.take("cta");
  if (e.take("warp")) {
    e.failUnless(e.take("sync"), "expected .sync");
    e.intrinsic(Intrinsic::nvvm_bar_warp_sync, {e.bits(0, 32)});
  } else if (e.take("red")) {
    emitReduction(e, isAligned);
  } else if (e.take("arrive")) {
    e.intrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_arrive_aligned_count
                          : Intrinsic::nvvm_barrier_cta_arrive_count,
                {e.bits(0, 32), e.bits(1, 32)});
  } else if (e.take("sync")) {
    if (e.count() > 1)
      e.intrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_count
                            : Intrinsic::nvvm_barrier_cta_sync_count,
                  {e.bits(0, 32), e.bits(1, 32)});
    else
      e.intrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_all
                            : Intrinsic::nvvm_barrier_cta_sync_all,
                  {e.bits(0, 32)});
  } else {
    e.fail("expected .sync, .arrive, .red or .warp");
  }
}

/// membar, fence, and the fences between proxies, which are one memory here.
void lowerFence(Emitter &e) {
  bool isMembar = e.opcode() == "membar";
  AtomicOrdering ordering = AtomicOrdering::SequentiallyConsistent;
  StringRef strength = e.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  if (!isMembar)
    ordering = StringSwitch<AtomicOrdering>(strength)
                   .Case("sc", AtomicOrdering::SequentiallyConsistent)
                   .Case("acquire", AtomicOrdering::Acquire)
                   .Case("release", AtomicOrdering::Release)
                   .Default(AtomicOrdering::AcquireRelease);
  if (e.take("proxy")) {
    e.failUnless(!e.takeOneOf({"alias", "async", "async::generic", "tensormap::generic"}).empty(),
                 "expected .alias, .async, .async::generic or .tensormap::generic");
    takeSpace(e);
  }
  e.takePrefixed("sync_restrict::");
  bool isOfBlock = takeScope(e);
  if (e.take("mbarrier_init"))
    takeScope(e);
  noteScope(*e.b.CreateFence(ordering), isOfBlock);
}

void lowerNanosleep(Emitter &e) {
  e.failUnless(e.take("u32"), "expected .u32");
  e.intrinsic(Intrinsic::nvvm_nanosleep, {e.bits(0, 32)});
}

void lowerTrap(Emitter &e) { e.intrinsic(Intrinsic::trap, {}); }

void lowerBrkpt(Emitter &e) { e.library("__heddle_breakpoint", e.b.getVoidTy(), {}, false); }

/// Nothing counts events, and registers are the back end's matter.
void lowerNothing(Emitter &e) {
  if (e.opcode() == "setmaxnreg") {
    e.takeOneOf({"inc", "dec"});
    e.take("sync");
    e.take("aligned");
    e.take("u32");
  }
  e.take("mask");
  if (e.count() > 0)
    e.constant(0);
}

/// Kernels of a stream run one after the other, so what the earlier one wrote is there.
void lowerGriddepcontrol(Emitter &e) {
  e.failUnless(!e.takeOneOf({"wait", "launch_dependents"}).empty(),
               "expected .wait or .launch_dependents");
  e.b.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

/// bra, exit, ret: the reader emits them, which knows blocks.
void lowerControl(Emitter &e) { e.fail("is not supported here"); }

} // namespace heddle::frontend::ptx
