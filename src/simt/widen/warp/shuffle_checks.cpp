// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a shuffle has read from threads that have ended, or are not there.
//
// To read them is no error, as long as nobody uses what was read:
//
//     for (int o = 16; o; o /= 2)                 // of 16 threads: those from 8 on add nonsense,
//       v += __shfl_down_sync(~0u, v, o);         // and so does thread 0, in the first round
//     if (lane == 0) *sum = v;
//
// So each shuffle has a slot with a bit for each lane: its value stems from such a thread, at once or
// through a value that another shuffle gave. Arithmetic hands that on; a store is a use. What passes
// through memory, a phi or a choice is not followed.
#include "simt/analysis/intrinsics.h"
#include "simt/widen/warp/sync_checks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool isArithmetic(const Instruction &instruction) {
  if (isa<BinaryOperator, UnaryOperator, CastInst, FreezeInst, ExtractValueInst>(instruction))
    return true;
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  CallKind kind = callKind(*call);
  return kind == CallKind::Widen || kind == CallKind::Math || kind == CallKind::Native;
}

/// Lanes that wait there come to nothing any more but the kernel's end.
bool isAtEnd(const BasicBlock &from) {
  SmallPtrSet<const BasicBlock *, 8> seen = {&from};
  SmallVector<const BasicBlock *, 8> open = {&from};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    for (const Instruction &instruction : *block) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      bool isNothing = call && callKind(*call) == CallKind::Drop;
      if (!instruction.isTerminator() && instruction.mayHaveSideEffects() && !isNothing)
        return false;
    }
    for (const BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        open.push_back(next);
  }
  return true;
}

} // namespace

/// The lanes whose value stems from a thread that is not there; null if there can be none. `nearest`:
/// the last shuffle that it stems from.
Value *SyncChecks::strayLanes(Value *value, CallInst *&nearest) {
  constexpr unsigned Most = 64;
  nearest = nullptr;
  SmallVector<Value *, 8> open = {value};
  SmallPtrSet<Value *, 16> seen;
  Value *lanes = nullptr;
  while (!open.empty() && seen.size() < Most) {
    auto *instruction = dyn_cast<Instruction>(open.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    if (AllocaInst *slot = strays_.lookup(instruction)) {
      Value *own = builder_.CreateLoad(builder_.getInt32Ty(), slot);
      lanes = lanes ? builder_.CreateOr(lanes, own) : own;
      if (!nearest)
        nearest = cast<CallInst>(instruction);
    } else if (isArithmetic(*instruction)) {
      append_range(open, instruction->operands());
    }
  }
  return lanes;
}

void SyncChecks::atShuffle(CallInst &call, Value *source) {
  if (!isOn_ || e_.width != WarpSize)
    return;
  Type *i32 = builder_.getInt32Ty();
  Value *active = bits(masks_.active()), *alive = active;
  for (int index : facts_.pending.at(current_).set_bits())
    if (!isAtEnd(*facts_.order.blocks[index]))
      alive = builder_.CreateOr(alive, bits(flow_.waitingAt(index)));
  CallInst *nearest;
  Value *stray = strayLanes(call.getArgOperand(call.arg_size() == 4 ? 1 : 0), nearest);
  Value *bad = builder_.CreateNot(alive);
  if (stray)
    bad = builder_.CreateOr(bad, stray);
  // The bit of each lane's source.
  Value *wide = builder_.CreateLShr(values_.splat(bad), source);
  wide = builder_.CreateTrunc(wide, wide->getType()->getWithNewBitWidth(1));
  Value *now = builder_.CreateAnd(builder_.CreateBitCast(wide, i32), active);
  AllocaInst *&slot = strays_[&call];
  if (!slot) {
    IRBuilder<> entry(e_.allocaPoint);
    slot = entry.CreateAlloca(i32, nullptr, "stray");
  }
  Value *others = builder_.CreateAnd(builder_.CreateLoad(i32, slot), builder_.CreateNot(active));
  builder_.CreateStore(builder_.CreateOr(others, now), slot);
}

void SyncChecks::atUse(Instruction &use) {
  const auto *store = dyn_cast<StoreInst>(&use);
  const auto *change = dyn_cast<AtomicRMWInst>(&use);
  bool isLocal = store && isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  if (strays_.empty() || isLocal || (!store && !change))
    return;
  CallInst *shuffle;
  Value *stray = strayLanes(use.getOperand(store ? 0 : 1), shuffle);
  if (!stray)
    return;
  Value *bad = builder_.CreateAnd(stray, bits(masks_.active()));
  BasicBlock *tell = e_.newBlock("stray"), *after = e_.newBlock("good");
  builder_.CreateCondBr(builder_.CreateIsNotNull(bad), tell, after,
                        MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(tell);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *none = builder_.getInt32(0);
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(),
                                        {pointer, i32, i32, i32, i32, pointer, pointer, pointer},
                                        false),
                      calls_.service(offsetof(CheckServices, warpOperation)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), bad, none, none,
                       Constant::getNullValue(pointer), site(*shuffle, SyncKind::Shuffle),
                       site(use, SyncKind::Place)});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

} // namespace heddle::simt
