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

/// If the branch goes to `block` where `left` is below a bound, the bound.
Value *boundOf(const BasicBlock &from, const BasicBlock *block, const Value *left, bool &isSigned) {
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  const auto *compare =
      branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || (compare->getOperand(0) != left && compare->getOperand(1) != left))
    return nullptr;
  bool isFirst = compare->getOperand(0) == left, goesOn = branch->getSuccessor(0) == block;
  CmpInst::Predicate predicate = compare->getPredicate();
  predicate = isFirst ? predicate : CmpInst::getSwappedPredicate(predicate);
  predicate = goesOn ? predicate : CmpInst::getInversePredicate(predicate);
  isSigned = predicate == CmpInst::ICMP_SLT;
  return isSigned || predicate == CmpInst::ICMP_ULT ? compare->getOperand(isFirst ? 1 : 0)
                                                    : nullptr;
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
  const BasicBlock *guard = before->getSinglePredecessor();
  bool isSigned = false, isGuardSigned = false;
  Value *bound = boundOf(*latch, header, next, isSigned);
  if (!bound || !guard || boundOf(*guard, before, first, isGuardSigned) != bound ||
      isSigned != isGuardSigned || !loop.isLoopInvariant(bound))
    return {};
  return Rounds{&number, first, bound, latch, exit, isSigned};
}

} // namespace heddle::simt
