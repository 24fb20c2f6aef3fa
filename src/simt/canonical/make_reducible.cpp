// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/make_reducible.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// A way into an entry that is to lead through the new block.
struct Way {
  BasicBlock *from;               ///< the new block's predecessor, or what will be
  unsigned entry;                 ///< which one
  SmallVector<Value *, 8> values; ///< of the entry's phis
};

class Dispatch {
public:
  explicit Dispatch(const Cycle &cycle)
      : cycle_(cycle), entries_(to_vector<4>(cycle.getEntries())),
        function_(*entries_[0]->getParent()), builder_(entries_[0]->getContext()) {}

  void make() {
    BasicBlock *dispatch = block("dispatch", entries_[0]);
    for (unsigned entry = 0; entry < entries_.size(); ++entry)
      for (BasicBlock *from :
           SetVector<BasicBlock *>(pred_begin(entries_[entry]), pred_end(entries_[entry])))
        if (entry == 0 || !cycle_.contains(from))
          redirect(*from, entry, dispatch);
    builder_.SetInsertPoint(dispatch);
    PHINode *to = builder_.CreatePHI(builder_.getInt32Ty(), ways_.size(), "to");
    for (const Way &way : ways_)
      to->addIncoming(builder_.getInt32(way.entry), way.from);
    SmallVector<SmallVector<PHINode *, 8>, 4> values;
    for (unsigned entry = 0; entry < entries_.size(); ++entry)
      values.push_back(mergeValues(entry));
    lead(dispatch, *to, values);
  }

private:
  BasicBlock *block(const char *name, BasicBlock *before) const {
    return BasicBlock::Create(builder_.getContext(), name, &function_, before);
  }

  /// The edges from a block to an entry, each by a block of its own: a branch may lead to several
  /// entries.
  void redirect(BasicBlock &from, unsigned entry, BasicBlock *dispatch) {
    auto *branch = cast<BranchInst>(from.getTerminator());
    for (unsigned successor = 0; successor < branch->getNumSuccessors(); ++successor) {
      if (branch->getSuccessor(successor) != entries_[entry])
        continue;
      Way way = {block("way", dispatch), entry, {}};
      branch->setSuccessor(successor, way.from);
      builder_.SetInsertPoint(way.from);
      builder_.SetCurrentDebugLocation(branch->getDebugLoc());
      builder_.CreateBr(dispatch);
      for (PHINode &phi : entries_[entry]->phis())
        way.values.push_back(phi.removeIncomingValue(&from, /*DeletePHIIfEmpty=*/false));
      ways_.push_back(std::move(way));
    }
  }

  /// What an entry's phis had by the ways that were redirected; nothing by the ways to others.
  SmallVector<PHINode *, 8> mergeValues(unsigned entry) {
    SmallVector<PHINode *, 8> merged;
    for (PHINode &phi : entries_[entry]->phis()) {
      PHINode *value = builder_.CreatePHI(phi.getType(), ways_.size(), phi.getName());
      for (const Way &way : ways_)
        value->addIncoming(way.entry == entry ? way.values[merged.size()]
                                              : PoisonValue::get(phi.getType()),
                           way.from);
      merged.push_back(value);
    }
    return merged;
  }

  /// Goes to the entry of that number.
  void lead(BasicBlock *dispatch, PHINode &to, ArrayRef<SmallVector<PHINode *, 8>> values) {
    builder_.SetCurrentDebugLocation(entries_[0]->getTerminator()->getDebugLoc());
    BasicBlock *guard = dispatch;
    for (unsigned entry = 0; entry + 1 < entries_.size(); ++entry) {
      builder_.SetInsertPoint(guard);
      Value *isThis = builder_.CreateICmpEQ(&to, builder_.getInt32(entry));
      bool isLast = entry + 2 == entries_.size();
      BasicBlock *others = isLast ? entries_[entry + 1] : block("dispatch", entries_[0]);
      builder_.CreateCondBr(isThis, entries_[entry], others);
      enter(entry, guard, values[entry]);
      if (isLast)
        enter(entry + 1, guard, values[entry + 1]);
      guard = others;
    }
  }

  void enter(unsigned entry, BasicBlock *from, ArrayRef<PHINode *> values) const {
    for (auto [phi, value] : zip(entries_[entry]->phis(), values))
      phi.addIncoming(value, from);
  }

  const Cycle &cycle_;
  SmallVector<BasicBlock *, 4> entries_; ///< those that are entered from outside
  Function &function_;
  IRBuilder<> builder_;
  SmallVector<Way, 8> ways_;
};

/// The outermost cycle of several entries; null if there is none.
const Cycle *findIrreducible(const CycleInfo &cycles) {
  for (const Cycle *outermost : cycles.toplevel_cycles())
    for (const Cycle *cycle : depth_first(outermost))
      if (!cycle->isReducible())
        return cycle;
  return nullptr;
}

} // namespace

PreservedAnalyses MakeReduciblePass::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  CycleInfo cycles;
  cycles.compute(function);
  while (const Cycle *cycle = findIrreducible(cycles)) {
    Dispatch(*cycle).make();
    cycles.clear();
    cycles.compute(function);
    isChanged = true;
  }
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
