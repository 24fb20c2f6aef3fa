// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/proof/alike_blocks.h"

#include "simt/analysis/intrinsics.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

bool ordersThreads(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return isa<FenceInst>(instruction) ||
         (call && (callKind(*call) == CallKind::BlockBarrier || isWarpOperation(*call)));
}

bool isWholeBarrier(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || callKind(*call) != CallKind::BlockBarrier)
    return false;
  StringRef name = call->getCalledFunction()->getName();
  const auto *id = dyn_cast<ConstantInt>(call->getArgOperand(0));
  return id && id->isZero() && !name.contains(".count") && !name.contains(".arrive");
}

AlikeBlocks::AlikeBlocks(Function &function, const DominatorTree &dominators,
                         const PostDominatorTree &postDominators, const LoopInfo &loops, By by)
    : function_(function), dominators_(dominators), postDominators_(postDominators), loops_(loops),
      by_(by) {
  for (unsigned d = 0; d < 3 && by == By::Block; ++d)
    differing_.insert(function.getArg(ParamBlockX + d));
  differing_.insert(function.getArg(ParamBlock));
}

/// From memory, or another thread.
bool AlikeBlocks::comesFromElsewhere(const Instruction &instruction) const {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    const Value *base = load->getPointerOperand()->stripInBoundsConstantOffsets();
    const auto *params = dyn_cast<LoadInst>(base);
    bool isOfLaunch = base == function_.getArg(ParamLaunch) ||
                      (params && params->getPointerOperand() == function_.getArg(ParamLaunch));
    return !isOfLaunch || !load->hasMetadata(LLVMContext::MD_invariant_load);
  }
  if (auto *call = dyn_cast<CallInst>(&instruction))
    switch (callKind(*call)) {
    case CallKind::Widen:
    case CallKind::Math:
    case CallKind::Native:
      return false;
    case CallKind::ThreadIndex:
      return by_ == By::Thread;
    default:
      return true;
    }
  return instruction.mayReadFromMemory();
}

/// Where all ways behind a branch meet; null: nowhere.
const BasicBlock *AlikeBlocks::endOf(const Instruction &branch) const {
  const auto *node = postDominators_.getNode(branch.getParent());
  const auto *above = node ? node->getIDom() : nullptr;
  return above ? above->getBlock() : nullptr;
}

/// Blocks that threads come to or not, as a branch decides.
std::vector<const BasicBlock *> AlikeBlocks::decidedBy(const Instruction &branch) const {
  const BasicBlock *end = endOf(branch);
  std::vector<const BasicBlock *> blocks;
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *, 16> open(successors(branch.getParent()));
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (block == end || !seen.insert(block).second)
      continue;
    blocks.push_back(block);
    append_range(open, successors(block));
  }
  return blocks;
}

/// Blocks where values depend on the way that a branch has chosen, or on how often.
std::vector<const BasicBlock *> AlikeBlocks::joinsBehind(const Instruction &branch) const {
  std::vector<const BasicBlock *> joins = decidedBy(branch);
  std::erase_if(joins, [&](const BasicBlock *block) {
    return any_of(successors(branch.getParent()), [&](const BasicBlock *to) {
      return to->getSinglePredecessor() && dominators_.dominates(to, block);
    });
  });
  if (const BasicBlock *end = endOf(branch))
    joins.push_back(end);
  for (const Loop *loop = loops_.getLoopFor(branch.getParent()); loop;
       loop = loop->getParentLoop()) {
    SmallVector<BasicBlock *, 4> exits;
    loop->getExitBlocks(exits);
    joins.insert(joins.end(), exits.begin(), exits.end());
  }
  return joins;
}

void AlikeBlocks::spread() {
  bool isOver = false;
  auto differs = [&](const Value &value) { isOver &= !differing_.insert(&value).second; };
  while (!isOver) {
    isOver = true;
    for (const Instruction &instruction : instructions(function_)) {
      bool isMadeSo =
          any_of(instruction.operands(), [&](const Use &use) { return mayDiffer(use.get()); });
      if (isMadeSo || comesFromElsewhere(instruction))
        differs(instruction);
      if (instruction.isTerminator() && instruction.getNumSuccessors() > 1 &&
          mayDiffer(&instruction))
        for (const BasicBlock *block : joinsBehind(instruction))
          for (const PHINode &phi : block->phis())
            differs(phi);
    }
  }
}

/// Those that a condition is made of, of which each may differ: of `threadIdx.x == 0 && x > 0` the
/// second one.
void AlikeBlocks::addConditions(Value *condition, std::vector<Value *> &conditions) const {
  if (!mayDiffer(condition))
    return;
  Value *left, *right;
  if (match(condition, m_Freeze(m_Value(left))) || match(condition, m_Not(m_Value(left))))
    return addConditions(left, conditions);
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))) ||
      match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    addConditions(left, conditions);
    return addConditions(right, conditions);
  }
  conditions.push_back(condition);
}

std::optional<std::vector<Value *>>
AlikeBlocks::find(ArrayRef<Value *> addresses, function_ref<bool(const Instruction &)> matters) {
  std::vector<Value *> conditions;
  spread();
  if (any_of(addresses, [&](const Value *address) { return mayDiffer(address); }))
    return std::nullopt;
  for (const BasicBlock &block : function_) {
    const Instruction *end = block.getTerminator();
    if (end->getNumSuccessors() < 2 || !mayDiffer(end))
      continue;
    bool isHarmless =
        none_of(decidedBy(*end), [&](const BasicBlock *one) { return any_of(*one, matters); });
    if (isHarmless)
      continue;
    auto *branch = dyn_cast<BranchInst>(end);
    if (!branch)
      return std::nullopt;
    addConditions(branch->getCondition(), conditions);
  }
  return conditions;
}

} // namespace heddle::simt
