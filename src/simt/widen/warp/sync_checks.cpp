// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that not all threads reach.
//
// Problem. __syncthreads() waits for all threads that have not ended. A thread that returns early
// is none of them; one that goes around the barrier and on is. In the flow of control both look
// alike: a branch around the barrier. The difference is what comes behind:
//
//     if (t >= n) return;                    if (t < n)
//     __syncthreads();                         __syncthreads();   // wrong
//     out[t] = s[t];                         out[t] = s[t];       // for those around it as well
//
// Method. A block is common if it writes something, or branches, and has a line of its own. (What
// the compiler has made of the ends of two ways has none.) Lanes have gone around a barrier if they
// wait at a block from which they come to a common block that those at the barrier come to as well,
// or to another barrier, or if they have been in such a block already (ControlFlow takes the
// kernel's ends first). The blocks that all come to are the post-dominators.
//
// Warps are compared at run time (src/check/sync.cpp): barriers have numbers, and know which others,
// and which last common blocks, are behind them. Whoever comes there has to have been here.
//
// Operations of a warp. Below width 32 the runner compares their masks, and what does not match
// waits for ever, which is reported. In a warp program lanes that a mask names and that are
// elsewhere cannot come to the same operation (simt/progress/meeting_lanes): they are absent if they
// come to a common block or a barrier. Of __syncwarp that is known only where no other of its mask
// follows.
#include "simt/widen/warp/sync_checks.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/intrinsics.h"
#include "simt/check/proof/alike_blocks.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool hasLine(const Instruction &instruction) {
  const DILocation *at = instruction.getDebugLoc().get();
  return at && at->getLine();
}

bool isUsersWrite(const Instruction &instruction) {
  if (!instruction.mayWriteToMemory() || !hasLine(instruction))
    return false;
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return true;
  CallKind kind = callKind(*call);
  return kind != CallKind::Drop && kind != CallKind::Check && kind != CallKind::Checked &&
         kind != CallKind::Happened && kind != CallKind::Shadow &&
         kind != CallKind::Uninitialized && kind != CallKind::ShadowCopy &&
         kind != CallKind::Fetch && kind != CallKind::Aligned && kind != CallKind::MbarrierNote &&
         kind != CallKind::AsyncNote;
}

/// What the program does in a block: a write, or a branch. Null if that is nothing.
const Instruction *firstDeed(const BasicBlock &block) {
  auto found = find_if(block, isUsersWrite);
  if (found != block.end())
    return &*found;
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && hasLine(*branch) ? branch : nullptr;
}

bool hasWholeBarrier(const BasicBlock &block) { return any_of(block, isWholeBarrier); }

template <typename F> bool anyReached(const BasicBlock &from, F &&test) {
  SmallPtrSet<const BasicBlock *, 32> seen = {&from};
  SmallVector<const BasicBlock *, 16> work = {&from};
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (test(*block))
      return true;
    for (const BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        work.push_back(next);
  }
  return false;
}

/// A __syncwarp that may meet one of a mask: masks that are constants and differ do not.
bool hasWarpSync(const BasicBlock &block, const Value *mask) {
  return any_of(block, [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || callKind(*call) != CallKind::WarpSync)
      return false;
    const Value *other = memberMask(*call);
    return other == mask || !isa<ConstantInt>(other) || !isa<ConstantInt>(mask);
  });
}

SyncKind kindOf(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::BlockBarrier:
    return SyncKind::BlockBarrier;
  case CallKind::GridBarrier:
    return SyncKind::GridBarrier;
  case CallKind::ClusterWait:
    return SyncKind::ClusterBarrier;
  default:
    return SyncKind::WarpOperation;
  }
}

/// The threads of a warp have to come to it together. Those of CUDA's functions do: what is said of
/// a barrier in two pieces, or by its number, is less.
bool isAligned(const CallInst &call) {
  CallKind kind = callKind(call);
  return kind == CallKind::GridBarrier ||
         (kind != CallKind::ClusterWait &&
          call.getCalledFunction()->getName().contains(".aligned"));
}

} // namespace

SyncChecks::SyncChecks(Emitter &emitter, FlowFacts &facts, Masks &masks, LaneValues &values,
                       ControlFlow &flow, CheckCalls &calls)
    : e_(emitter), builder_(emitter.builder), facts_(facts), masks_(masks), values_(values),
      flow_(flow), calls_(calls), isOn_(calls.isOn(CheckSync)) {
  if (!isOn_)
    return;
  postDominators_.emplace(e_.thread);
  if (e_.context.program.body == &e_.thread)
    number();
}

bool SyncChecks::isCommon(const BasicBlock &block) const { return firstDeed(block) != nullptr; }

/// Gives barriers of the block, and common blocks behind all of them, their numbers.
void SyncChecks::number() {
  auto &tree = *postDominators_;
  for (const Instruction &instruction : instructions(e_.thread))
    if (isWholeBarrier(instruction))
      numbered_.push_back(&instruction);
  std::vector<const Instruction *> barriers = numbered_;
  for (const BasicBlock &block : e_.thread) {
    const Instruction *deed = firstDeed(block);
    if (!deed ||
        none_of(barriers,
                [&](const Instruction *barrier) {
                  return tree.dominates(&block, barrier->getParent());
                }) ||
        anyReached(block, hasWholeBarrier))
      continue;
    places_[&block] = deed;
    numbered_.push_back(deed);
  }
  if (numbered_.size() > NoSyncNumber)
    numbered_.resize(NoSyncNumber);
}

void SyncChecks::begin() {
  for (auto &[block, deed] : places_)
    if (e_.width > 1 && facts_.order.isEnd(block)) {
      AllocaInst *slot = visited_[block] = e_.newSlot(masks_.type(), "visited");
      builder_.CreateStore(Constant::getNullValue(masks_.type()), slot);
    }
}

/// Of the program's lanes, as an i32.
Value *SyncChecks::bits(Value *mask) {
  return builder_.CreateZExtOrTrunc(masks_.integer(mask), builder_.getInt32Ty());
}

void SyncChecks::enter(unsigned index) {
  current_ = index;
  const Instruction *deed = isOn_ ? places_.lookup(&block()) : nullptr;
  if (!deed)
    return;
  if (AllocaInst *slot = visited_.lookup(&block()))
    builder_.CreateStore(
        builder_.CreateOr(builder_.CreateLoad(masks_.type(), slot), masks_.active()), slot);
  if (e_.options.isWholeBlock())
    return;
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, pointer}, false),
                      calls_.service(offsetof(CheckServices, pastBarriers)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), bits(masks_.active()),
                       site(*deed, SyncKind::Place)});
}

bool SyncChecks::comesToBarrier(const BasicBlock &from) const {
  for (auto *node = postDominators_->getNode(&from); node; node = node->getIDom())
    if (node->getBlock() && hasWholeBarrier(*node->getBlock()))
      return true;
  return false;
}

/// From both blocks all lanes come to a common one.
bool SyncChecks::comesToCommon(BasicBlock &a, BasicBlock &b) const {
  BasicBlock *meet = postDominators_->findNearestCommonDominator(&a, &b);
  for (auto *node = meet ? postDominators_->getNode(meet) : nullptr; node; node = node->getIDom())
    if (node->getBlock() && isCommon(*node->getBlock()))
      return true;
  return false;
}

/// Those that wait elsewhere, or have been in a common block behind the present one. Null if there
/// can be none.
Value *SyncChecks::absentLanes(function_ref<bool(BasicBlock &)> isAbsentAt) {
  if (e_.width == 1)
    return nullptr;
  Value *absent = nullptr;
  auto add = [&](Value *mask) { absent = absent ? builder_.CreateOr(absent, mask) : mask; };
  for (int index : facts_.pending.at(current_).set_bits())
    if (isAbsentAt(*facts_.order.blocks[index]))
      add(flow_.waitingAt(index));
  for (auto &[place, slot] : visited_)
    if (postDominators_->dominates(place, &block()))
      add(builder_.CreateLoad(masks_.type(), slot));
  return absent ? builder_.CreateAnd(absent, builder_.CreateNot(masks_.active())) : nullptr;
}

/// The branch that not all come from to the present block.
Instruction *SyncChecks::parting() {
  for (auto *node = facts_.dominators.getNode(&block())->getIDom(); node; node = node->getIDom())
    if (e_.shapes.isDivergent(node->getBlock()) &&
        !postDominators_->dominates(&block(), node->getBlock()))
      return node->getBlock()->getTerminator();
  return flow_.lastParting();
}

Constant *SyncChecks::site(const Instruction &instruction, SyncKind kind) {
  Constant *&known = sites_[{&instruction, unsigned(kind)}];
  if (known)
    return known;
  auto own = find(numbered_, &instruction);
  uint64_t behind = 0;
  const BasicBlock *block = instruction.getParent();
  for (auto [i, other] : enumerate(numbered_))
    if (other->getParent() != block ? postDominators_->dominates(other->getParent(), block)
                                    : instruction.comesBefore(other))
      behind |= uint64_t(1) << i;
  unsigned count = 0;
  Constant *frames = calls_.frames(instruction, count);
  StringRef name = kind == SyncKind::Place ? "" : calls_.calledName(instruction);
  const auto *call = dyn_cast<CallInst>(&instruction);
  static_assert(offsetof(SyncSite, frameCount) == 8 && offsetof(SyncSite, kind) == 12 &&
                offsetof(SyncSite, isAligned) == 14 && offsetof(SyncSite, behind) == 16 &&
                offsetof(SyncSite, name) == 24);
  return known = calls_.constant(
             {frames, builder_.getInt32(count), builder_.getInt8(uint8_t(kind)),
              builder_.getInt8(own == numbered_.end() ? NoSyncNumber
                                                      : uint8_t(own - numbered_.begin())),
              builder_.getInt8(kind != SyncKind::Place && call && isAligned(*call)),
              builder_.getInt64(behind),
              name.empty() ? Constant::getNullValue(builder_.getPtrTy()) : calls_.text(name)},
             "sync");
}

Constant *SyncChecks::branchSite() {
  Instruction *branch = e_.width > 1 ? parting() : nullptr;
  return branch ? site(*branch, SyncKind::Place) : Constant::getNullValue(builder_.getPtrTy());
}

void SyncChecks::atBarrier(CallInst &call) {
  Value *absent = !isAligned(call) ? nullptr : absentLanes([&](BasicBlock &other) {
    return comesToBarrier(other) || comesToCommon(other, block());
  });
  bool isCounted =
      isWholeBarrier(call) && is_contained(numbered_, &call) && !e_.options.isWholeBlock();
  if (!absent && !isCounted)
    return;
  BasicBlock *tell = nullptr, *after = nullptr;
  if (!isCounted) {
    tell = e_.newBlock("diverged");
    after = e_.newBlock("converged");
    builder_.CreateCondBr(masks_.any(absent), tell, after,
                          MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(tell);
  }
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  builder_.CreateCall(
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, i32, pointer, pointer}, false),
      calls_.service(offsetof(CheckServices, barrier)),
      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), bits(masks_.active()),
       absent ? bits(absent) : builder_.getInt32(0), site(call, kindOf(call)), branchSite()});
  if (!after)
    return;
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void SyncChecks::atWarpOperation(CallInst &call) {
  bool isSync = callKind(call) == CallKind::WarpSync;
  auto meets = [&](const BasicBlock &other) { return hasWarpSync(other, memberMask(call)); };
  Value *absent = e_.width != WarpSize ? nullptr : absentLanes([&](BasicBlock &other) {
    return (comesToBarrier(other) || comesToCommon(other, block())) &&
           !(isSync && anyReached(other, meets));
  });
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *members = const_cast<Value *>(memberMask(call));
  Value *active = bits(masks_.active()), *none = Constant::getNullValue(pointer);
  Value *missing = absent ? bits(absent) : builder_.getInt32(0);
  bool isUniform = e_.width == 1 || e_.shapes.isUniform(members);
  Value *mask = isUniform ? values_.scalar(members) : builder_.getInt32(0), *masks = none;
  BasicBlock *tell = nullptr, *after = nullptr;
  if (isUniform) {
    Value *first = builder_.CreateMul(e_.warp.getArg(ParamWarp), builder_.getInt32(e_.width));
    Value *inWarp = builder_.CreateShl(active, builder_.CreateAnd(first, builder_.getInt32(31)));
    Value *bad = builder_.CreateOr(builder_.CreateAnd(inWarp, builder_.CreateNot(mask)),
                                   builder_.CreateAnd(mask, missing));
    if (isa<Constant>(bad))
      return; // none can be
    tell = e_.newBlock("mismatch");
    after = e_.newBlock("match");
    builder_.CreateCondBr(builder_.CreateIsNotNull(bad), tell, after,
                          MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(tell);
  } else {
    if (!memory_) {
      IRBuilder<> entry(e_.allocaPoint);
      memory_ = entry.CreateAlloca(e_.vectorType(i32));
    }
    builder_.CreateStore(values_.vector(members), memory_);
    masks = memory_;
  }
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(),
                                        {pointer, i32, i32, i32, i32, pointer, pointer, pointer},
                                        false),
                      calls_.service(offsetof(CheckServices, warpOperation)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), active, missing, mask,
                       masks, site(call, SyncKind::WarpOperation), branchSite()});
  if (!after)
    return;
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

} // namespace heddle::simt
