// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of loops that ptxas likes. Two things that LLVM does for CPUs are undone, at the end.
//
// 1. A loop with `continue` is a nest for LLVM, whose inner loops go on with the outer one's values, and
//    each way back has its own test for the end. The threads of a warp that take different ways meet at
//    neither: ptxas joins them by barriers of their own. With one latch they meet there:
//
//      outer: %x = phi [%a, entry], [%c, far]       loop: %x = phi [%a, entry], [%next, latch]
//      loop:  %y = phi [%x, outer], [%b, near]  ->  near: br latch
//      near:  br %ends, exit, loop                  far:  br latch
//      far:   br outer                              latch: %next = phi [%b, near], [%c, far]
//                                                          %goes = phi [!%ends, near], [true, far]
//                                                          br %goes, loop, exit
//
// 2. Where a loop's counter steps as addresses do (elements of a byte), LLVM's strength reduction takes one
//    64-bit number for both, and compares halves of it: ptxas counts no trips then, and unrolls nothing. A
//    number that the reduction does not see through ends the loop:
//
//      %left = phi [%limit - %start, preheader], [%next, loop]
//      %next = asm "add.s32 $0, $1, -4;"(%left),  br (%next != 0), loop, exit
#include "jit/load/gpu_latches.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// No thread waits for another in the loop: where they meet is nothing that a program can tell.
bool isPlain(const Loop &loop) {
  return none_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &one) {
      auto *call = dyn_cast<CallBase>(&one);
      return one.isVolatile() || one.isAtomic() ||
             (call && (call->isConvergent() || !isa<IntrinsicInst>(call)));
    });
  });
}

/// The loop inside that goes on where `outer` begins: the outer header has phis only, and all of the
/// inner one's begin with these or with what both loops leave alone.
Loop *continuedBy(Loop &outer) {
  BasicBlock *header = outer.getHeader(), *inner = header->getSingleSuccessor();
  if (!inner || &*header->getFirstNonPHIOrDbg() != header->getTerminator())
    return nullptr;
  for (Loop *loop : outer.getSubLoops())
    if (loop->getHeader() == inner)
      return all_of(inner->phis(),
                    [&](PHINode &phi) {
                      auto *first = dyn_cast<PHINode>(phi.getIncomingValueForBlock(header));
                      return first && first->getParent() == header;
                    })
                 ? loop
                 : nullptr;
  return nullptr;
}

/// The outer loop's header becomes the inner one's.
void mergeHeaders(Loop &outer, Loop &inner) {
  BasicBlock *header = outer.getHeader(), *kept = inner.getHeader();
  SmallVector<BasicBlock *> inside;
  for (BasicBlock *before : predecessors(kept))
    if (before != header)
      inside.push_back(before);
  for (PHINode &phi : kept->phis()) {
    auto *first = cast<PHINode>(phi.removeIncomingValue(header, false));
    for (unsigned i = 0; i != first->getNumIncomingValues(); ++i)
      phi.addIncoming(first->getIncomingValue(i), first->getIncomingBlock(i));
  }
  for (PHINode &phi : make_early_inc_range(header->phis())) { // what the inner loop leaves alone
    phi.moveBefore(kept->begin());
    for (BasicBlock *before : inside)
      phi.addIncoming(&phi, before);
  }
  for (BasicBlock *before : to_vector(predecessors(header)))
    before->getTerminator()->replaceSuccessorWith(header, kept);
  header->eraseFromParent();
}

/// One such nest, if there is one.
bool mergeOne(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (Loop *outer : loops.getLoopsInPreorder())
    if (Loop *inner = isPlain(*outer) ? continuedBy(*outer) : nullptr) {
      mergeHeaders(*outer, *inner);
      return true;
    }
  return false;
}

/// Whether a latch does nothing but join ways, each of which can end at the header alone.
bool isSkippable(const BasicBlock &latch, const BasicBlock &header) {
  const bool isEmpty = &*latch.getFirstNonPHIOrDbg() == latch.getTerminator();
  if (&latch == &header || latch.getSingleSuccessor() != &header || !isEmpty)
    return false;
  auto endsThere = [&](const BasicBlock *before) {
    const bool isTwice = before->getUniqueSuccessor() && !before->getSingleSuccessor();
    return isa<BranchInst>(before->getTerminator()) && !isTwice &&
           !is_contained(successors(before), &header);
  };
  auto isForHeader = [&](const PHINode &phi) {
    return all_of(phi.users(), [&](const User *user) {
      auto *other = dyn_cast<PHINode>(user);
      return other && other->getParent() == &header;
    });
  };
  return all_of(predecessors(&latch), endsThere) && all_of(latch.phis(), isForHeader);
}

/// A latch that only leads to the header goes: those in front of it are latches.
bool skipLatch(Loop &loop) {
  BasicBlock *header = loop.getHeader();
  SmallVector<BasicBlock *> latches;
  loop.getLoopLatches(latches);
  for (BasicBlock *latch : latches) {
    if (!isSkippable(*latch, *header))
      continue;
    SmallVector<BasicBlock *> before(predecessors(latch));
    for (PHINode &phi : header->phis()) {
      Value *value = phi.removeIncomingValue(latch, false);
      auto *joined = dyn_cast<PHINode>(value);
      for (BasicBlock *block : before)
        phi.addIncoming(joined && joined->getParent() == latch
                            ? joined->getIncomingValueForBlock(block)
                            : value,
                        block);
    }
    for (BasicBlock *block : before)
      block->getTerminator()->replaceSuccessorWith(latch, header);
    latch->eraseFromParent();
    return true;
  }
  return false;
}

bool skipLatches(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  return any_of(loops.getLoopsInPreorder(), [](Loop *loop) {
    return loop->isInnermost() && isPlain(*loop) && skipLatch(*loop);
  });
}

/// The block outside that a latch may leave for; null: it always goes back.
BasicBlock *leavesFor(BasicBlock &latch, const Loop &loop) {
  auto *branch = dyn_cast<BranchInst>(latch.getTerminator());
  if (!branch || !branch->isConditional())
    return nullptr;
  BasicBlock *other = branch->getSuccessor(branch->getSuccessor(0) == loop.getHeader());
  return other;
}

/// Gives a loop one latch, which leaves for `exit` where one of the old ones did.
class Latch {
public:
  Latch(Loop &loop, ArrayRef<BasicBlock *> latches, BasicBlock *exit)
      : loop_(loop), latches_(latches), exit_(exit),
        latch_(BasicBlock::Create(loop.getHeader()->getContext(), "", loop.getHeader()->getParent(),
                                  latches.back()->getNextNode())) {}

  void make() {
    for (PHINode &phi : loop_.getHeader()->phis())
      join(phi);
    PHINode *goes = nullptr;
    if (exit_) {
      for (PHINode &phi : exit_->phis())
        join(phi);
      goes = PHINode::Create(Type::getInt32Ty(latch_->getContext()), 0, "", latch_->begin());
    }
    DebugLoc place;
    for (BasicBlock *block : latches_) {
      auto *branch = cast<BranchInst>(block->getTerminator());
      place = branch->getDebugLoc();
      IRBuilder<> builder(branch);
      if (goes)
        goes->addIncoming(goesBack(*block, builder), block);
      builder.CreateBr(latch_);
      branch->eraseFromParent();
    }
    IRBuilder<> builder(latch_);
    Instruction *end =
        goes ? builder.CreateCondBr(builder.CreateIsNotNull(goes), loop_.getHeader(), exit_)
             : builder.CreateBr(loop_.getHeader());
    end->setDebugLoc(place);
  }

private:
  /// Nothing that LLVM knows to be true: it would take the branch of the latch in front of it.
  Value *goesBack(BasicBlock &block, IRBuilder<> &builder) {
    auto *branch = cast<BranchInst>(block.getTerminator());
    if (!branch->isConditional()) {
      auto *type = FunctionType::get(builder.getInt32Ty(), false);
      return builder.CreateCall(InlineAsm::get(type, "mov.b32 $0, 1;", "=r", false));
    }
    Value *goes = branch->getCondition();
    if (branch->getSuccessor(0) != loop_.getHeader())
      goes = builder.CreateNot(goes);
    return builder.CreateZExt(goes, builder.getInt32Ty());
  }

  /// What `phi` has from the old latches it has from the new one. One that does not lead there gives none.
  void join(PHINode &phi) {
    PHINode *joined = PHINode::Create(phi.getType(), latches_.size(), "", latch_->begin());
    bool isUsed = false;
    for (BasicBlock *block : latches_) {
      const int at = phi.getBasicBlockIndex(block);
      joined->addIncoming(at < 0 ? PoisonValue::get(phi.getType()) : phi.getIncomingValue(at),
                          block);
      if (at >= 0)
        phi.removeIncomingValue(at, false);
      isUsed |= at >= 0;
    }
    if (isUsed)
      phi.addIncoming(joined, latch_);
  }

  Loop &loop_;
  ArrayRef<BasicBlock *> latches_;
  BasicBlock *exit_, *latch_;
};

/// Whether all latches of an innermost loop can be one, and where that leaves for.
bool canJoin(const Loop &loop, ArrayRef<BasicBlock *> latches, BasicBlock *&exit) {
  if (!loop.isInnermost() || latches.size() < 2 || !isPlain(loop))
    return false;
  for (BasicBlock *latch : latches) {
    if (!isa<BranchInst>(latch->getTerminator()))
      return false;
    BasicBlock *other = leavesFor(*latch, loop);
    if (!other)
      continue;
    if (loop.contains(other) || (exit && other != exit))
      return false;
    exit = other;
  }
  return true;
}

bool joinLatches(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *> latches;
    BasicBlock *exit = nullptr;
    loop->getLoopLatches(latches);
    if (!canJoin(*loop, latches, exit))
      continue;
    formLCSSA(*loop, tree, &loops, nullptr);
    Latch(*loop, latches, exit).make();
    return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------
// Counters.

/// A comparison for the end of a loop: of what steps by a constant with what the loop leaves alone.
struct End {
  ICmpInst *compare;
  const SCEVAddRecExpr *counter;
  Value *limit;
  int64_t step;
};

std::optional<End> endOf(const Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  auto *compare =
      branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || !compare->isEquality() || !compare->hasOneUse() || !loop.isLoopExiting(latch) ||
      !loop.getLoopPreheader())
    return std::nullopt;
  Type *type = compare->getOperand(0)->getType();
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    auto *counter = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(compare->getOperand(i)));
    Value *limit = compare->getOperand(1 - i);
    auto *step = counter && counter->getLoop() == &loop && counter->isAffine()
                     ? dyn_cast<SCEVConstant>(counter->getStepRecurrence(evolution))
                     : nullptr;
    if (step && loop.isLoopInvariant(limit))
      return End{compare, counter, limit, step->getAPInt().getSExtValue()};
  }
  return std::nullopt;
}

/// Whether what the loop has read is in the number.
bool isOfLoads(const Loop &loop, Value *number, SmallPtrSetImpl<Value *> &seen) {
  auto *one = dyn_cast<Instruction>(number);
  if (!one || !loop.contains(one) || !seen.insert(one).second)
    return false;
  return isa<LoadInst>(one) ||
         any_of(one->operands(), [&](Value *part) { return isOfLoads(loop, part, seen); });
}

/// Whether some address steps as the counter does, and none waits for a number that the loop has read: more
/// trips at once gain nothing then.
bool stepsAsAddresses(const Loop &loop, int64_t step, ScalarEvolution &evolution) {
  bool found = false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &one : *block) {
      Value *address = getLoadStorePointerOperand(&one);
      SmallPtrSet<Value *, 16> seen;
      if (address && isOfLoads(loop, address, seen))
        return false;
      auto *walk = address ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(address)) : nullptr;
      auto *bytes = walk && walk->getLoop() == &loop
                        ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution))
                        : nullptr;
      found |= bytes && bytes->getAPInt().getSExtValue() == step;
    }
  return found;
}

void countDown(const Loop &loop, const End &end, ScalarEvolution &evolution) {
  BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  Type *type = end.limit->getType();
  SCEVExpander expander(evolution, "counter");
  Value *start = expander.expandCodeFor(end.counter->getStart(), type, preheader->getTerminator());
  IRBuilder<> before(preheader->getTerminator());
  Value *first =
      before.CreateAdd(before.CreateSub(end.limit, start), ConstantInt::getSigned(type, end.step));
  PHINode *left = PHINode::Create(type, 2, "left", loop.getHeader()->begin());
  IRBuilder<> builder(end.compare);
  const bool isLong = type->isIntegerTy(64);
  auto *text = InlineAsm::get(FunctionType::get(type, {type}, false),
                              std::string("add.s") + (isLong ? "64" : "32") + " $0, $1, " +
                                  std::to_string(-end.step) + ";",
                              isLong ? "=l,l" : "=r,r", /*hasSideEffects=*/false);
  Value *next = builder.CreateCall(text, {left});
  left->addIncoming(first, preheader);
  left->addIncoming(next, latch);
  end.compare->setOperand(0, next);
  end.compare->setOperand(1, ConstantInt::get(type, 0));
}

} // namespace

PreservedAnalyses OneLatch::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  while (mergeOne(function))
    changed = true;
  while (skipLatches(function))
    changed = true;
  while (joinLatches(function))
    changed = true;
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses OwnCounters::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    std::optional<End> end = loop->isInnermost() ? endOf(*loop, evolution) : std::nullopt;
    if (!end || !stepsAsAddresses(*loop, end->step, evolution))
      continue;
    countDown(*loop, *end, evolution);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::jit
