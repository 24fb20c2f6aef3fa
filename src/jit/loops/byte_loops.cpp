// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/loops/byte_loops.h"

#include "simt/analysis/pass_notes.h"
#include "simt/analysis/recompute.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;

bool ByteFormula::isPure() const {
  return simt::canRecompute(
      *result_, [&](Value &value) { return &value == byte_ || rounds_->isLoopInvariant(&value); });
}

bool ByteFormula::isSame(Value *mine, Value *theirs, const ByteFormula &other) const {
  if (mine == byte_ || theirs == other.byte_)
    return mine == byte_ && theirs == other.byte_;
  if (mine == theirs)
    return true;
  auto *step = dyn_cast<Instruction>(mine), *another = dyn_cast<Instruction>(theirs);
  return step && another && step->isSameOperationAs(another) &&
         all_of(zip_equal(step->operands(), another->operands()), [&](const auto &pair) {
           return isSame(std::get<0>(pair), std::get<1>(pair), other);
         });
}

Value *ByteFormula::compute(IRBuilder<> &builder, Value *byte) const {
  simt::Recomputation ofByte(builder, [&](Value &value) -> Value * {
    if (&value == byte_)
      return byte;
    return rounds_->isLoopInvariant(&value) ? &value : nullptr;
  });
  return ofByte.of(*result_);
}

namespace {

/// What the store adds to where it stores; null if it does something else.
const APInt *addedBy(const StoreInst &store) {
  using namespace PatternMatch;
  Value *term = nullptr;
  const APInt *by = nullptr;
  if (!store.isSimple() ||
      !match(store.getValueOperand(), m_OneUse(m_c_Add(m_OneUse(m_Value(term)), m_APInt(by)))))
    return nullptr;
  const auto *old = dyn_cast<LoadInst>(term);
  bool isSame = old && old->isSimple() && old->getPointerOperand() == store.getPointerOperand();
  return isSame ? by : nullptr;
}

/// Nothing happens in the rounds beside the loop over lanes.
bool isIdleBeside(const Loop &rounds, const Loop &lanes) {
  return all_of(rounds.blocks(), [&](const BasicBlock *block) {
    return lanes.contains(block) || all_of(*block, [](const Instruction &instruction) {
             const auto *call = dyn_cast<IntrinsicInst>(&instruction);
             return !instruction.mayReadOrWriteMemory() ||
                    instruction.hasMetadata(LLVMContext::MD_invariant_load) ||
                    (call && call->getIntrinsicID() == Intrinsic::prefetch);
           });
  });
}

} // namespace

/// One addition of the loop over lanes: its byte, and the store to its bin.
struct ByteLoops::Addition {
  LoadInst *byte;
  StoreInst *store;
};

/// Each byte is for one store, and nothing else is stored or read.
bool ByteLoops::findAdditions(const ByteLoop &loop, SmallVectorImpl<Addition> &additions) const {
  SmallVector<LoadInst *, 16> bytes;
  SmallVector<StoreInst *, 16> stores;
  size_t loads = 0;
  for (Instruction &instruction : *loop.lanes->getHeader()) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->getType()->isIntegerTy(8) && load->isSimple() &&
        simt::StillInMemory.isOn(*load))
      bytes.push_back(load);
    else if (auto *store = dyn_cast<StoreInst>(&instruction); store && addedBy(*store))
      stores.push_back(store);
    else if (load)
      ++loads;
    else if (instruction.mayReadOrWriteMemory())
      return false;
  }
  if (bytes.size() != stores.size() || loads != stores.size())
    return false;
  for (auto [byte, store] : zip_equal(bytes, stores))
    additions.push_back({byte, store});
  return all_of(additions, [&](const Addition &addition) {
    return ByteFormula(addition.store->getPointerOperand(), addition.byte, *loop.rounds).isPure();
  });
}

/// The bytes of a round lie side by side.
bool ByteLoops::areNeighbours(ByteLoop &loop, ArrayRef<Addition> additions) {
  auto recurrenceOf = [&](const Addition &addition) {
    return evolution_.getSCEV(addition.byte->getPointerOperand());
  };
  for (auto [i, addition] : enumerate(additions)) {
    const auto *distance = dyn_cast<SCEVConstant>(
        evolution_.getMinusSCEV(recurrenceOf(addition), recurrenceOf(additions.front())));
    if (!distance || distance->getAPInt() != i)
      return false;
  }
  PHINode &lane = *loop.lanes->getHeader()->phis().begin();
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&lane));
  const auto *first = dyn_cast<GetElementPtrInst>(additions.front().byte->getPointerOperand());
  if (!walk || walk->getLoop() != loop.lanes || !walk->getStart()->isZero() || !first ||
      first->getNumIndices() != 1 || !first->getSourceElementType()->isIntegerTy(8) ||
      first->getOperand(1) != &lane)
    return false;
  const auto *step = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_));
  loop.bytes = const_cast<Value *>(first->getPointerOperand());
  loop.length = evolution_.getSmallConstantTripCount(loop.lanes) * additions.size();
  return step && step->getAPInt() == additions.size() && loop.length > 0 && loop.length % 2 == 0 &&
         loop.lanes->isLoopInvariant(loop.bytes);
}

bool ByteLoops::isByteLoop(ByteLoop &loop) {
  BasicBlock *block = loop.lanes->getHeader();
  SmallVector<Addition, 16> additions;
  if (loop.lanes->getNumBlocks() != 1 || loop.rounds->getSubLoops().size() != 1 ||
      !hasSingleElement(block->phis()) || !loop.lanes->getExitBlock() ||
      loop.rounds->getExitingBlock() != loop.rounds->getLoopLatch() ||
      !loop.rounds->getExitBlock() || !isIdleBeside(*loop.rounds, *loop.lanes) ||
      any_of(*block, [&](Instruction &value) { return value.isUsedOutsideOfBlock(block); }) ||
      !findAdditions(loop, additions) || additions.empty() || !areNeighbours(loop, additions))
    return false;
  loop.by = *addedBy(*additions.front().store);
  loop.type = additions.front().store->getValueOperand()->getType();
  loop.bin.emplace(additions.front().store->getPointerOperand(), additions.front().byte,
                   *loop.rounds);
  return all_of(additions, [&](const Addition &addition) {
    ByteFormula other(addition.store->getPointerOperand(), addition.byte, *loop.rounds);
    return addition.store->getValueOperand()->getType() == loop.type &&
           *addedBy(*addition.store) == loop.by && loop.bin->isSameAs(other);
  });
}

SmallVector<ByteLoop, 1> ByteLoops::find() {
  SmallVector<ByteLoop, 1> found;
  for (Loop *lanes : loops_.getLoopsInPreorder())
    if (lanes->isInnermost() && lanes->getParentLoop()) {
      ByteLoop loop;
      loop.lanes = lanes;
      loop.rounds = lanes->getParentLoop();
      if (isByteLoop(loop))
        found.push_back(std::move(loop));
    }
  return found;
}

} // namespace heddle::jit
