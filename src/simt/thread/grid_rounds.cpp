// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the grid: cut_rows.cpp explains what they are found for.
#include "simt/thread/flat_index.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// gridDim.x * blockDim.x
bool isGridStride(Value *step, Function &thread, unsigned threads) {
  if (auto *cast = dyn_cast<CastInst>(step))
    step = cast->getOperand(0);
  Value *blocks = nullptr;
  bool isProduct = match(step, m_Mul(m_Value(blocks), m_SpecificInt(threads))) ||
                   (isPowerOf2_32(threads) &&
                    match(step, m_Shl(m_Value(blocks), m_SpecificInt(Log2_32(threads)))));
  if (!isProduct)
    return false;
  if (auto *cast = dyn_cast<CastInst>(blocks))
    blocks = cast->getOperand(0);
  return gridDimension(blocks, thread) == 0u;
}

/// What is in front of the loop and behind it runs once for each round then.
bool hasAllEffects(const Loop &loop, Function &thread) {
  return all_of(thread, [&](BasicBlock &block) {
    return loop.contains(&block) ? all_of(block,
                                          [&](Instruction &instruction) {
                                            return all_of(instruction.users(), [&](User *user) {
                                              return loop.contains(cast<Instruction>(user));
                                            });
                                          })
                                 : none_of(block, [](const Instruction &instruction) {
                                     return instruction.mayHaveSideEffects();
                                   });
  });
}

} // namespace

std::optional<Guard> guardBefore(BasicBlock &block, const BasicBlock *next) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  auto *compare =
      branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || branch->getSuccessor(0) == branch->getSuccessor(1))
    return {};
  bool goesOnIf = branch->getSuccessor(0) == next;
  auto predicate = goesOnIf ? compare->getPredicate() : compare->getInversePredicate();
  bool isSwapped = predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT;
  predicate = isSwapped ? CmpInst::getSwappedPredicate(predicate) : predicate;
  if (predicate != CmpInst::ICMP_SLT && predicate != CmpInst::ICMP_ULT)
    return {};
  return Guard{branch, compare->getOperand(isSwapped), compare->getOperand(!isSwapped),
               predicate == CmpInst::ICMP_SLT, goesOnIf};
}

std::optional<Rounds> roundsOf(Function &thread, unsigned threads) {
  LoopFacts facts(thread);
  if (facts.loops.getTopLevelLoops().size() != 1)
    return {};
  const Loop &loop = *facts.loops.getTopLevelLoops().front();
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *exit = loop.getExitBlock();
  BasicBlock *before = loop.getLoopPreheader();
  if (!latch || !before || !exit || loop.getExitingBlock() != latch || !exit->phis().empty() ||
      !hasSingleElement(header->phis()) || !hasAllEffects(loop, thread))
    return {};
  PHINode &number = *header->phis().begin();
  Value *next = number.getIncomingValueForBlock(latch), *from = nullptr, *step = nullptr;
  if (!match(next, m_Add(m_Value(from), m_Value(step))))
    return {};
  if (loop.isLoopInvariant(from))
    std::swap(from, step);
  if (auto *frozen = dyn_cast<FreezeInst>(from))
    from = frozen->getOperand(0);
  if (from != &number || !loop.isLoopInvariant(step) || !isGridStride(step, thread, threads))
    return {};
  Value *first = number.getIncomingValueForBlock(before);
  BasicBlock *above = before->getSinglePredecessor();
  std::optional<Guard> last = guardBefore(*latch, header);
  std::optional<Guard> guard = above ? guardBefore(*above, before) : std::nullopt;
  if (!last || !guard || last->number != next || guard->number != first ||
      last->bound != guard->bound || last->isSigned != guard->isSigned ||
      !loop.isLoopInvariant(guard->bound))
    return {};
  return Rounds{&number, *guard, latch, exit};
}

} // namespace heddle::simt
