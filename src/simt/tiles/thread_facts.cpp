// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tiles/thread_facts.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

/// False if something was left out.
bool ThreadConditions::addCondition(Value &condition, bool isTrue, BlockFacts &facts) {
  Value *a = nullptr, *b = nullptr;
  if (match(&condition, m_Not(m_Value(a))))
    return addCondition(*a, !isTrue, facts);
  if (isTrue ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
             : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    bool first = addCondition(*a, isTrue, facts);
    return addCondition(*b, isTrue, facts) && first;
  }
  auto *comparison = dyn_cast<ICmpInst>(&condition);
  return comparison && addComparison(*comparison, isTrue, facts);
}

bool ThreadConditions::addComparison(ICmpInst &comparison, bool isTrue, BlockFacts &known) {
  if (!comparison.getOperand(0)->getType()->isIntegerTy())
    return false;
  std::optional<ThreadSum> a = sums_.of(*comparison.getOperand(0)),
                           b = sums_.of(*comparison.getOperand(1));
  CmpInst::Predicate predicate =
      isTrue ? comparison.getPredicate() : comparison.getInversePredicate();
  if (ICmpInst::isUnsigned(predicate)) {
    if (!comparison.hasSameSign())
      return false;
    predicate = ICmpInst::getSignedPredicate(predicate);
  }
  if (!a || !b)
    return false;
  if (predicate == ICmpInst::ICMP_SGT || predicate == ICmpInst::ICMP_SGE) {
    std::swap(a, b);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  ThreadSum more = sums_.add(*b, *a, -1); // b - a
  std::vector<ThreadFact> facts;
  if (predicate == ICmpInst::ICMP_SLT)
    facts.push_back({sums_.plus(more, -1)});
  else
    facts.push_back({more, predicate == ICmpInst::ICMP_NE});
  if (predicate == ICmpInst::ICMP_EQ)
    facts.push_back({sums_.add(*a, *b, -1)});
  for (ThreadFact &fact : facts) {
    const ThreadTable *numbers = fact.sum.numbers();
    if (!numbers) {
      known.facts.push_back(std::move(fact));
      continue;
    }
    for (auto [thread, number] : enumerate(*numbers))
      if (fact.isNonZero ? number == 0 : number < 0)
        known.threads.reset(thread);
  }
  return true;
}

BlockFacts ThreadConditions::knownIn(BasicBlock &block) {
  BlockFacts known = nothing();
  for (auto *node = dominators_.getNode(&block)->getIDom(); node; node = node->getIDom()) {
    auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned side : {0u, 1u})
      if (dominators_.dominates(BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)),
                                &block))
        addCondition(*branch->getCondition(), side == 0, known);
  }
  return known;
}

std::optional<BlockFacts> ThreadConditions::enoughFor(BasicBlock &block) {
  BlockFacts enough = nothing();
  for (BasicBlock *at = &block; auto *node = dominators_.getNode(at)->getIDom();) {
    BasicBlock *before = node->getBlock();
    if (!postDominators_.dominates(at, before)) {
      auto *branch = dyn_cast<BranchInst>(before->getTerminator());
      if (!branch || !branch->isConditional() || at->getSinglePredecessor() != before ||
          branch->getSuccessor(0) == branch->getSuccessor(1) ||
          !addCondition(*branch->getCondition(), branch->getSuccessor(0) == at, enough))
        return std::nullopt;
    }
    at = before;
  }
  return enough;
}

bool ThreadConditions::follows(const ThreadFact &fact, unsigned one, ArrayRef<ThreadFact> facts,
                               unsigned two) const {
  return any_of(facts, [&](const ThreadFact &known) {
    std::optional<int64_t> more = sums_.distance(fact.sum, one, known.sum, two);
    return more && (fact.isNonZero    ? known.isNonZero ? *more == 0 : *more > 0
                    : known.isNonZero ? false
                                      : *more >= 0);
  });
}

} // namespace heddle::simt
