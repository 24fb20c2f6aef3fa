// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread/guard_region.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned DeepestCondition = 8;
constexpr unsigned SmallRegion = 64;   ///< instructions: copied for any gain
constexpr double LeastGain = 1.0 / 32; ///< of larger regions, for each instruction
constexpr double LoopFactor = 4, Indirect = 0.25, Divide = 0.5;

/// A call that waits for other programs: its copies would be a coroutine's states.
bool suspendsProgram(const CallInst &call, const GuardFacts &facts) {
  switch (callKind(call)) {
  case CallKind::BlockBarrier:
    return facts.threads > facts.shapes.width();
  case CallKind::GridBarrier:
  case CallKind::ClusterWait:
    return true;
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::Elect:
  case CallKind::WarpSync:
  case CallKind::ActiveMask:
    return facts.shapes.width() < WarpSize;
  default:
    return false;
  }
}

/// What the instruction's mask costs, in masked vector accesses.
double maskCost(const Instruction &instruction, const Shapes &shapes) {
  if (instruction.isIntDivRem())
    return shapes.isUniform(&instruction) ? 0 : Divide;
  const Value *address = getLoadStorePointerOperand(&instruction);
  if (!address || shapes.isUniform(address))
    return 0;
  return shapes.of(address).segment > 1 ? 1 : Indirect;
}

/// Blocks that keep a mask in the copy: those between a branch that is no guard and its join.
void addMasked(const GuardFacts &facts, const BasicBlock *branch,
               SmallPtrSetImpl<const BasicBlock *> &masked) {
  const DomTreeNode *node = facts.postDominators.getNode(branch);
  const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock *, 8> work(successors(branch));
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block != end && masked.insert(block).second)
      append_range(work, successors(block));
  }
}

/// Size and gain of the region's blocks. False if they cannot be copied.
bool measure(const GuardFacts &facts, GuardRegion &region, const BasicBlock *latch) {
  SmallPtrSet<const BasicBlock *, 16> masked;
  for (BasicBlock *block : region.blocks) {
    if (!canCopy(facts, *block))
      return false;
    if (block != latch && facts.shapes.isDivergent(block) && !endsInGuard(facts, block))
      addMasked(facts, block, masked);
  }
  int depth = facts.loops.getLoopDepth(region.blocks.front());
  for (BasicBlock *block : region.blocks) {
    double times = std::pow(LoopFactor, int(facts.loops.getLoopDepth(block)) - depth);
    for (const Instruction &instruction : *block) {
      ++region.size;
      if (!masked.contains(block))
        region.gain += times * maskCost(instruction, facts.shapes);
    }
  }
  return region.gain > 0 && (region.size <= SmallRegion || region.gain >= LeastGain * region.size);
}

/// Goes straight from lane to lane, or is the sum of such numbers and of some by the thread's index
/// (the row and the column of a cell of a tile).
bool isStraight(const Shapes &shapes, const Value *value, unsigned depth = 0) {
  if (!value->getType()->isIntegerTy() && !value->getType()->isPointerTy())
    return false;
  if (shapes.of(value).segment > 1 || shapes.followsIndex(value))
    return true;
  const auto *sum = dyn_cast<Instruction>(value);
  return sum && depth < DeepestCondition &&
         (sum->isCast() || is_contained({Instruction::Add, Instruction::Sub}, sum->getOpcode())) &&
         all_of(
             sum->operands(), [&](const Use &part) { return isStraight(shapes, part, depth + 1); });
}

/// `threadIdx.x < count` of a count that is less than the lanes.
bool isOfFewLanes(const Shapes &shapes, const ICmpInst &compare) {
  const Value *lane = compare.getOperand(0);
  return compare.getPredicate() == CmpInst::ICMP_ULT && threadDimension(lane) == 0u &&
         shapes.of(lane).segment >= shapes.width() &&
         computeConstantRange(compare.getOperand(1), /*ForSigned=*/false)
             .getUnsignedMax()
             .ult(shapes.width());
}

} // namespace

GuardFacts::GuardFacts(Function &thread, const Options &options)
    : dominators(thread), loops(dominators), postDominators(thread), order(thread, loops),
      shapes(order, loops, postDominators, {options.width, options.blockDim},
             /*argumentsVary=*/false),
      threads(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]) {}

bool canCopy(const GuardFacts &facts, const BasicBlock &block) {
  return isa<BranchInst>(block.getTerminator()) &&
         none_of(block, [&](const Instruction &instruction) {
           const auto *call = dyn_cast<CallInst>(&instruction);
           return isa<AllocaInst>(instruction) ||
                  (call && (call->cannotDuplicate() || suspendsProgram(*call, facts)));
         });
}

bool isGuard(const Shapes &shapes, Value *condition, unsigned depth) {
  if (shapes.isUniform(condition))
    return true;
  if (depth == DeepestCondition)
    return false;
  if (const auto *compare = dyn_cast<ICmpInst>(condition))
    return isStraight(shapes, compare->getOperand(0)) && isStraight(shapes, compare->getOperand(1));
  Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a))))
    return isGuard(shapes, a, depth + 1);
  return (match(condition, m_LogicalAnd(m_Value(a), m_Value(b))) ||
          match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) &&
         isGuard(shapes, a, depth + 1) && isGuard(shapes, b, depth + 1);
}

bool canHoldEverywhere(const Shapes &shapes, Value *condition, bool expected) {
  if (shapes.isUniform(condition))
    return true;
  if (shapes.neverInAllLanes(condition, expected))
    return false;
  Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a))))
    return canHoldEverywhere(shapes, a, !expected);
  bool both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (both || match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    bool first = canHoldEverywhere(shapes, a, expected);
    bool second = canHoldEverywhere(shapes, b, expected);
    return both == expected ? first && second : first || second;
  }
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare)
    return true;
  if (!compare->isEquality())
    return !expected || !isOfFewLanes(shapes, *compare);
  bool equal = (compare->getPredicate() == CmpInst::ICMP_EQ) == expected;
  Shape left = shapes.of(compare->getOperand(0)), right = shapes.of(compare->getOperand(1));
  bool moves = (left.regular && right.uniform()) || (left.uniform() && right.regular);
  return !equal || !moves;
}

bool endsInGuard(const GuardFacts &facts, const BasicBlock *block) {
  return facts.shapes.isDivergent(block) &&
         isGuard(facts.shapes, cast<BranchInst>(block->getTerminator())->getCondition());
}

GuardRegion regionBehind(const GuardFacts &facts, BasicBlock *block, unsigned side) {
  auto *branch = cast<BranchInst>(block->getTerminator());
  BasicBlock *entry = branch->getSuccessor(side);
  GuardRegion region;
  bool alone = entry->getSinglePredecessor() == block;
  bool sameLoop = facts.loops.getLoopFor(entry) == facts.loops.getLoopFor(block);
  if (!alone || !sameLoop || !canHoldEverywhere(facts.shapes, branch->getCondition(), side == 0))
    return region;
  SmallVector<BasicBlock *, 8> blocks;
  facts.dominators.getDescendants(entry, blocks);
  region.blocks.append(blocks.begin(), blocks.end()); // the entry first
  return measure(facts, region, nullptr) ? region : GuardRegion();
}

GuardRegion regionOf(const GuardFacts &facts, const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  GuardRegion region;
  if (!latch || !loop.getLoopPreheader() || !loop.isLoopExiting(latch) ||
      !endsInGuard(facts, latch))
    return region;
  auto *branch = cast<BranchInst>(latch->getTerminator());
  bool staysIf = branch->getSuccessor(0) == loop.getHeader();
  if (!canHoldEverywhere(facts.shapes, branch->getCondition(), staysIf))
    return region;
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  if (any_of(exiting,
             [&](BasicBlock *block) { return block != latch && facts.shapes.isDivergent(block); }))
    return region;
  region.blocks.append(loop.block_begin(), loop.block_end()); // the header first
  return measure(facts, region, latch) ? region : GuardRegion();
}

} // namespace heddle::simt
