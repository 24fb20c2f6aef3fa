// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's loop vectorizer compiles `g[base + (t + 1) % 32] = t` wrongly. To scalar evolution the
// remainder is an addition of 5 bits, zext({1,+,1}<i5>), and the address goes up by 4 bytes a round
// *if that addition does not wrap*. So the vectorizer assumes that it does not and tests the
// assumption before the loop. But where the loop has another such assumption about a wider addition
// with the same step, {base + 1,+,1}<i32>, SCEVWrapPredicate::implies says that the wider one
// implies the narrower, which is dropped: 32 bits that do not wrap say nothing about 5 bits. Stores
// then go past the end of the cycle. (llvm/llvm-project issue 191382; LLVM 20 to 22; mended by pull
// request 191498, in LLVM 23.)
//
// All that can be dropped is an assumption about a recurrence that is narrower than another one
// that is extended in the same loop. This pass makes the values of the narrower ones opaque to
// scalar evolution, by a `freeze`, just before the vectorizer runs:
//
//     %i = phi i32 [ 0, ... ], [ %next, ... ]          %i = phi i32 [ 0, ... ], [ %next, ... ]
//     %r = and i32 %i, 31          ; zext {0,+,1}<i5>  %r = and i32 %i, 31
//                                                      %f = freeze i32 %r
//     %x = add i32 %base, %r                           %x = add i32 %base, %f
//     %a = zext i32 %x to i64      ; zext of 32 bits   %a = zext i32 %x to i64
//
// A loop whose extended recurrences all have one width keeps its vectors, and so has one without
// any: indices of 64 bits, `int` (which does not wrap), and one unsigned counter for all. A cycle
// loses nothing: its addresses go up for one round of it only, which a test before the loop would
// have to find. instcombine drops the freeze behind the vectorizer.
#include "plugin/hide_narrow_steps.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

namespace {

using Casts = SmallPtrSet<const SCEV *, 4>;

/// Whether \p value goes on in steps from round to round of \p loop, as far as scalar evolution
/// sees (a recurrence) or may find out under assumptions (a phi of the header).
bool steps(const SCEV *value, const Loop &loop) {
  return SCEVExprContains(value, [&](const SCEV *part) {
    if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
      return recurrence->getLoop() == &loop;
    auto *unknown = dyn_cast<SCEVUnknown>(part);
    auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
    return phi && phi->getParent() == loop.getHeader();
  });
}

/// The extensions in \p value of what steps through \p loop. Scalar evolution has pulled them into
/// the recurrence wherever it could show that this does not wrap; the rest takes an assumption.
Casts extensions(const SCEV *value, const Loop &loop) {
  Casts found;
  auto collect = [&](const SCEV *part) {
    if (isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(part) &&
        steps(cast<SCEVCastExpr>(part)->getOperand(), loop))
      found.insert(part);
    return false;
  };
  SCEVExprContains(value, collect);
  return found;
}

class Hider {
public:
  Hider(Loop &loop, ScalarEvolution &evolution) : loop_(loop), evolution_(evolution) {}

  bool run() {
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block)
        for (const SCEV *cast : extensionsOf(&instruction))
          widest_ = std::max(widest_, width(cast));
    SmallVector<Instruction *, 4> makers;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block)
        if (makesNarrow(instruction))
          makers.push_back(&instruction);
    for (Instruction *maker : makers)
      hide(*maker);
    return !makers.empty();
  }

private:
  uint64_t width(const SCEV *cast) const {
    return evolution_.getTypeSizeInBits(llvm::cast<SCEVCastExpr>(cast)->getOperand()->getType());
  }

  Casts extensionsOf(Value *value) {
    return evolution_.isSCEVable(value->getType()) ? extensions(evolution_.getSCEV(value), loop_)
                                                   : Casts();
  }

  /// Whether the value of \p instruction has a narrow extension that none of its operands has.
  bool makesNarrow(Instruction &instruction) {
    Casts casts = extensionsOf(&instruction);
    for (Value *operand : instruction.operands())
      for (const SCEV *cast : extensionsOf(operand))
        casts.erase(cast);
    return any_of(casts, [&](const SCEV *cast) { return width(cast) < widest_; });
  }

  /// A phi of the header is what it is by what comes around the loop.
  void hide(Instruction &maker) {
    auto *phi = dyn_cast<PHINode>(&maker);
    BasicBlock *latch = loop_.getLoopLatch();
    if (phi && latch && phi->getParent() == loop_.getHeader()) {
      Value *next = phi->getIncomingValueForBlock(latch);
      phi->setIncomingValueForBlock(
          latch, new FreezeInst(next, "hidden", latch->getTerminator()->getIterator()));
      return;
    }
    auto place = maker.getInsertionPointAfterDef();
    if (!place)
      return;
    auto *hidden = new FreezeInst(&maker, "hidden", *place);
    maker.replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden; });
  }

  Loop &loop_;
  ScalarEvolution &evolution_;
  uint64_t widest_ = 0; ///< bits of the widest recurrence that is extended
};

} // namespace

PreservedAnalyses HideNarrowStepsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.getParent()->getTargetTriple().isNVPTX())
    return PreservedAnalyses::all(); // no pass over device code makes such assumptions
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost()) // the vectorizer takes no others
      changed |= Hider(*loop, evolution).run();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace heddle::plugin
