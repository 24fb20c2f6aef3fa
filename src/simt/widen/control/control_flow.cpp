// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of warp programs.
//
// Problem. The lanes of a warp take different ways through a thread program; one instruction stream
// must take all ways that some lane takes, with the others switched off, and bring the lanes
// together again.
//
// Method. A warp always runs the lowest numbered block (order.h) that a lane waits at. Every block
// has a mask of the lanes that wait at it. A uniform branch hands the active lanes to one successor
// and stays a branch; a divergent one divides them among both. Then the program must go on at the
// lowest block with a lane. Nearly always this is known here already: `PendingBlocks` has for
// each block those at which other lanes may wait meanwhile, and `emitDispatch`
// tests only those, in order, that are not certain:
//
//     A: br %c, B, C   (divergent)          A':  mB = m & c;  mC = m & ~c
//     B: ...; br D                               br any(mB), B', C'
//     C: ...; br D                          B':  ... under mB;  mD = mB;  br any(mC), C', D'
//     D: ...                                C':  ... under mC;  mD |= mC; br D'
//                                           D':  ... under mD
//
// A loop whose exit diverges goes on until no lane waits at its header, since the header has a
// lower number than the blocks after the loop. Early returns wait at the single exit block, the
// last of all.
//
// Barriers. Lanes that have left a loop wait until the last one has. If the loop holds a barrier,
// the others come to it without them:
//
//     while (i < n) { ...; __syncthreads(); if (done(i)) i += step; }
//     out[t] = i;
//
// On a GPU a thread that leaves such a loop runs to the kernel's end, and from then on the barriers
// do not wait for it; what it has written is there for those that come out of the next one. So
// where lanes may part at a barrier, all blocks that come to no barrier any more get the lowest
// numbers (`BlockOrder::takeEndsFirst`). Lanes run them at once, before the others go on, and wait
// at the exit block, where they count as returned (`checkConverged`).
//
// Lanes that left the loop and will come to another barrier still make this one divergent.
//
// Values. What a block defines and another uses goes through a slot (an alloca); a phi has a slot
// that the edges write, blended by the edge's mask only if other lanes may already wait at the
// block. All slots become SSA values again at the end (slots.h), so uniform code comes out as it
// went in.
//
// Rejected: structurising the control flow first (it duplicates conditions and loses which branches
// are uniform); masks on all loop-carried values (here a lane that has left a loop may go on
// computing garbage, because loop-closed SSA form copies what is used outside at the edge that
// leaves); if-conversion of everything (executes both arms always).
#include "simt/widen/control/control_flow.h"

#include "simt/analysis/intrinsics.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/widen/control/whole_subsets.h"

using namespace llvm;

namespace heddle::simt {

ControlFlow::ControlFlow(Emitter &emitter, FlowFacts &facts, Masks &masks, LaneValues &values)
    : e_(emitter), builder_(emitter.builder), facts_(facts), masks_(masks), values_(values) {
  unsigned threads = e_.options.threads();
  bool entryIsWhole = e_.context.program.body == &e_.thread && e_.width > 1 &&
                      (threads <= e_.width || threads % e_.width == 0) &&
                      e_.context.program.neighbours == 1; // of those, fewer may be left
  wholeSubsets_ = findWholeSubsets(facts.order, e_.shapes, facts.subsets, facts.sameMasks,
                                   entryIsWhole && e_.options.isOptimised() &&
                                       e_.options.isEnabled("whole-subsets"));
}

void ControlFlow::begin() {
  Type *type = masks_.type();
  for (BasicBlock *block : facts_.order.blocks) {
    heads_.push_back(e_.newBlock(block->getName()));
    AllocaInst *slot = e_.newSlot(type, "mask." + block->getName());
    maskSlots_.push_back(slot);
    builder_.CreateStore(Constant::getNullValue(type), slot);
    for (PHINode &phi : block->phis())
      phiSlots_[&phi] = e_.newSlot(values_.keptType(&phi), phi.getName() + ".in");
  }
  builder_.CreateStore(masks_.atEntry(), maskSlots_[0]);
  for (auto [index, same] : enumerate(facts_.sameMasks))
    if (same != index && same != 0 && !activeSlots_.contains(same))
      activeSlots_[same] = e_.newSlot(type, "active");
}

void ControlFlow::enter(unsigned index) {
  current_ = index;
  builder_.SetInsertPoint(heads_[index]);
  builder_.SetCurrentDebugLocation(DebugLoc());
  takeMask();
}

/// The lanes that wait at the block. Where an earlier block had the same, that one's mask stands
/// for them: what the warp knows of it (often that it is full) is not lost in the merge of ways
/// between.
void ControlFlow::takeMask() {
  Type *type = masks_.type();
  unsigned same = facts_.sameMasks[current_];
  const BitVector &possible = facts_.subsets.at(current_);
  Value *mask = nullptr;
  if (same == 0)
    mask = masks_.atEntry();
  else if (wholeSubsets_[current_])
    mask = masks_.of(possible);
  else
    mask = builder_.CreateLoad(type, same == current_ ? maskSlots_[current_] : activeSlots_[same],
                               "mask");
  if (same == current_ && activeSlots_.contains(current_))
    builder_.CreateStore(mask, activeSlots_[current_]);
  if (facts_.pending.ever(current_))
    builder_.CreateStore(Constant::getNullValue(type), maskSlots_[current_]);
  masks_.enter(mask, possible);
}

Value *ControlFlow::emitPhi(PHINode &phi) {
  AllocaInst *slot = phiSlots_[&phi];
  return builder_.CreateLoad(slot->getAllocatedType(), slot, phi.getName());
}

/// All ways to a block lead over the one that dominates it. If no lane waits at the former while the
/// latter runs, its slots hold nothing from before. That is known without this, but only by looking
/// at all that came before (slots.cpp).
void ControlFlow::clearJoins() {
  for (const DomTreeNode *node : facts_.dominators.getNode(&block())->children()) {
    BasicBlock *join = node->getBlock();
    unsigned index = facts_.order.index(join);
    if (join->hasNPredecessors(1) || facts_.pending.at(current_).test(index))
      continue;
    builder_.CreateStore(Constant::getNullValue(masks_.type()), maskSlots_[index]);
    for (PHINode &phi : join->phis()) {
      AllocaInst *slot = phiSlots_[&phi];
      builder_.CreateStore(PoisonValue::get(slot->getAllocatedType()), slot);
    }
  }
}

Error ControlFlow::emitTerminator() {
  clearJoins();
  Instruction *terminator = block().getTerminator();
  builder_.SetCurrentDebugLocation(terminator->getDebugLoc());
  if (auto *ret = dyn_cast<ReturnInst>(terminator)) {
    emitReturn(*ret);
    return Error::success();
  }
  auto *branch = dyn_cast<BranchInst>(terminator);
  if (!branch)
    return errorAt(*terminator,
                   Twine("'") + terminator->getOpcodeName() + "' is not supported in device code");
  if (branch->isUnconditional())
    emitJump(*branch->getSuccessor(0), masks_.active());
  else if (e_.shapes.isDivergent(&block()))
    emitDivergentBranch(*branch);
  else
    emitUniformBranch(*branch);
  return Error::success();
}

void ControlFlow::emitReturn(ReturnInst &ret) {
  if (Value *value = ret.getReturnValue())
    builder_.CreateRet(values_.vector(value));
  else
    builder_.CreateRetVoid();
}

/// All active lanes, which are those of `mask`, go to one block.
void ControlFlow::emitJump(BasicBlock &to, Value *mask) {
  emitEdge(to, mask);
  BitVector candidates = facts_.pending.at(current_);
  candidates.set(facts_.order.index(&to));
  emitDispatch(candidates, facts_.order.index(&to));
}

void ControlFlow::emitDivergentBranch(BranchInst &branch) {
  BasicBlock &ifTrue = *branch.getSuccessor(0), &ifFalse = *branch.getSuccessor(1);
  Value *condition = values_.vector(branch.getCondition());
  emitEdge(ifTrue, masks_.activeWhere(condition));
  emitEdge(ifFalse, masks_.activeWhere(builder_.CreateNot(condition)));
  BitVector candidates = facts_.pending.at(current_);
  candidates.set(facts_.order.index(&ifTrue));
  candidates.set(facts_.order.index(&ifFalse));
  emitDispatch(candidates, -1);
}

void ControlFlow::emitUniformBranch(BranchInst &branch) {
  BasicBlock &ifTrue = *branch.getSuccessor(0), &ifFalse = *branch.getSuccessor(1);
  Value *condition = values_.scalar(branch.getCondition());
  BasicBlock *taken = e_.newBlock(), *other = e_.newBlock();
  BranchInst *copy = builder_.CreateCondBr(condition, taken, other);
  copy->copyMetadata(branch, {LLVMContext::MD_prof});
  LaneValues::Local before = values_.save();
  for (auto [next, head] : {std::pair(&ifTrue, taken), std::pair(&ifFalse, other)}) {
    builder_.SetInsertPoint(head);
    values_.restore(before);
    bool all = next == &ifTrue && isAllLanes(branch.getCondition());
    emitJump(*next, all ? Constant::getAllOnesValue(masks_.type()) : masks_.active());
  }
}

/// Lanes of `mask` go from the present block to another: they wait there, and its phis take their
/// values.
void ControlFlow::emitEdge(BasicBlock &to, Value *mask) {
  unsigned index = facts_.order.index(&to);
  bool joined = facts_.pending.at(current_).test(index);
  SmallVector<std::pair<AllocaInst *, Value *>, 8> values; // all read before any is written
  for (PHINode &phi : to.phis()) {
    Value *incoming = phi.getIncomingValueForBlock(&block());
    Lanes lanes = values_.lanesOf(&phi);
    Value *value = values_.at(incoming, lanes);
    AllocaInst *slot = phiSlots_[&phi];
    if (joined && e_.width > 1 && lanes.count == e_.width) {
      Value *old = builder_.CreateLoad(slot->getAllocatedType(), slot);
      value = builder_.CreateSelect(mask, value, old);
    }
    values.push_back({slot, value});
  }
  for (auto [slot, value] : values)
    builder_.CreateStore(value, slot);
  AllocaInst *maskSlot = maskSlots_[index];
  if (joined)
    mask = builder_.CreateOr(mask, builder_.CreateLoad(mask->getType(), maskSlot));
  builder_.CreateStore(mask, maskSlot);
}

/// The warp has come through a block with the same lanes and not to `next` since. So if none waits
/// at a block before, all wait at `next`.
bool ControlFlow::isCertain(unsigned next) const {
  unsigned same = facts_.sameMasks[next];
  return same < next && next > current_ &&
         facts_.dominators.dominates(facts_.order.blocks[same], facts_.order.blocks[current_]);
}

/// Jumps to the lowest candidate with waiting lanes. `certain` is known to have some (or -1), and
/// so has the last.
void ControlFlow::emitDispatch(BitVector candidates, int certain) {
  int last = candidates.find_last();
  for (int next : candidates.set_bits()) {
    if (next == certain || next == last || isCertain(next)) {
      builder_.CreateBr(heads_[next]);
      return;
    }
    BasicBlock *otherwise = e_.newBlock();
    builder_.CreateCondBr(anyWaits(next), heads_[next], otherwise);
    builder_.SetInsertPoint(otherwise);
  }
}

/// Whether lanes wait at a block.
Value *ControlFlow::anyWaits(unsigned index) {
  Value *mask = builder_.CreateLoad(masks_.type(), maskSlots_[index]);
  if (!wholeSubsets_[index] || facts_.subsets.at(index).none())
    return masks_.any(mask);
  return builder_.CreateExtractElement(mask, uint64_t(facts_.subsets.at(index).find_first()));
}

Value *ControlFlow::waitingAt(unsigned index) {
  return builder_.CreateLoad(masks_.type(), maskSlots_[index]);
}

Value *ControlFlow::live() {
  unsigned exit = facts_.order.blocks.size() - 1;
  Value *live = masks_.atEntry();
  if (facts_.pending.at(current_).test(exit)) {
    Value *gone = builder_.CreateLoad(masks_.type(), maskSlots_[exit]);
    live = builder_.CreateAnd(live, builder_.CreateNot(gone));
  }
  return live;
}

Instruction *ControlFlow::lastParting() const {
  for (unsigned i = current_; i-- > 0;)
    if (e_.shapes.isDivergent(facts_.order.blocks[i]))
      return facts_.order.blocks[i]->getTerminator();
  return nullptr;
}

} // namespace heddle::simt
