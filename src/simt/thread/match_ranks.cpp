// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks.
//
// Problem. Sorts for GPUs rank the keys of a warp: who has my digit, how many of them are before
// me, and one of them counts for all (Adinets and Merrill, "Onesweep", 2022, section 3). That
// spares a GPU the conflicts of atomics. Here it is a match, a gather and a scatter, and the next
// gather waits for what that scatter wrote.
//
// Method. Lanes that count in turn, lowest first, find the same: the lanes of the same digit before
// them have counted already. On shared memory this is a load, an addition and a store for each lane
// (atomics.cpp), and waits for nothing where digits differ.
//
//     %peers = match.any(-1, %digit)
//     %old = load %counters[%digit]              ->      %rank = atomicrmw add %counters[%digit], 1
//     %rank = %old + popc(%peers & lanes below)
//     if (%peers >> lane == 1)
//       store %rank + 1, %counters[%digit]
//
// What must hold: lanes with the same digit have the same address, and others another one (an
// element of an array that the warp shares); nothing is written between the load and the store; the
// lane that stores is one of the peers, and what it stores is the old value and their number. Only
// in programs of whole warps: parts of a warp would count in another order.
//
// It gains most with AVX2, which has no scatters. The ranks are those among the keys of one warp;
// what the warps before have is added after a scan over the warps' counters, or
// merge_warp_counters.cpp makes one set of counters of them.
//
// Legality (match-ranks):
//  1. A program holds whole warps: parts of a warp would count one after the other. [whole warps]
//  2. The counters are in shared memory. [shared]
//  3. Lanes of one value have one counter, and others another one. [one counter]
//  4. All lanes are asked (the member mask is full), and those that were asked are those that
//     count. [all asked]
//  5. Nothing is written between the load of a counter and its store. [nothing written]
//  6. One peer stores. [one peer]
//  7. It stores the old value and the number of its peers. [counts all]
#include "simt/thread/match_ranks.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/same_mask.h"
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

enum class Chosen { None, First, Last };

/// A counter that the peers of one match share.
struct Ranking {
  CallInst *match = nullptr;
  LoadInst *old = nullptr;
  Instruction *rank = nullptr; ///< old + popc(peers & lanes below)
  StoreInst *store = nullptr;
};

/// The warp waits for its lanes: nothing, where a program holds it.
bool isWarpSync(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == CallKind::WarpSync;
}

bool mayWrite(const Instruction &instruction) {
  return instruction.mayWriteToMemory() && !isWarpSync(instruction);
}

class Ranks {
public:
  Ranks(const ThreadProgram &program, const Options &options)
      : thread_(*program.body), facts_(thread_),
        lanes_(thread_, facts_, {WarpSize, options.blockDim}),
        sameMasks_(
            findSameMasks(lanes_.order, facts_.loops, facts_.dominators, lanes_.postDominators)) {}

  bool run() {
    std::vector<Ranking> found;
    for (Instruction &instruction : instructions(thread_))
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        if (Ranking ranking = find(*store); ranking.store)
          found.push_back(ranking);
    for (const Ranking &ranking : found)
      rewrite(ranking);
    return !found.empty();
  }

private:
  /// The number of the lane in its warp.
  bool isLane(Value *value) const {
    if (match(value, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_laneid>()))
      return true;
    Shape shape = lanes_.shapes.of(value);
    KnownBits known = computeKnownBits(value, thread_.getDataLayout());
    // 32 different values below 32, one more in each lane.
    return shape.regular && shape.segment == WarpSize && shape.stride == 1 &&
           known.getMaxValue().ult(WarpSize);
  }

  /// Bits of the lanes below this one.
  bool isLanesBelow(Value *value) const {
    Value *lane = nullptr;
    return match(value, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_lanemask_lt>()) ||
           ((match(value, m_Not(m_Shl(m_AllOnes(), m_Value(lane)))) ||
             match(value, m_Add(m_Shl(m_One(), m_Value(lane)), m_AllOnes()))) &&
            isLane(lane));
  }

  bool isPeersBelow(Value *value, Value *peers) const {
    Value *below = nullptr;
    return match(value, m_c_And(m_Specific(peers), m_Value(below))) && isLanesBelow(below);
  }

  /// The peer in which a condition holds.
  Chosen chosenBy(Value *condition, Value *peers) const {
    Value *one = nullptr, *other = nullptr, *found = nullptr;
    // __ffs gives zero for no bits, which peers always have.
    if (match(condition, m_Select(m_SpecificICmp(ICmpInst::ICMP_EQ, m_Specific(peers), m_Zero()),
                                  m_Zero(), m_Value(found))))
      condition = found;
    if (!match(condition, m_SpecificICmp(ICmpInst::ICMP_EQ, m_Value(one), m_Value(other))))
      return Chosen::None;
    if (match(other, m_Zero()))
      return isPeersBelow(one, peers) ? Chosen::First : Chosen::None;
    if (match(other, m_One())) {
      Value *lane = nullptr;
      return match(one, m_LShr(m_Specific(peers), m_Value(lane))) && isLane(lane) ? Chosen::Last
                                                                                  : Chosen::None;
    }
    if (isLane(one))
      std::swap(one, other);
    if (!isLane(other))
      return Chosen::None;
    if (match(one, m_Intrinsic<Intrinsic::cttz>(m_Specific(peers))))
      return Chosen::First;
    Value *zeros = nullptr;
    bool fromTop = match(one, m_Xor(m_Value(zeros), m_SpecificInt(WarpSize - 1))) ||
                   match(one, m_Sub(m_SpecificInt(WarpSize - 1), m_Value(zeros)));
    return fromTop && match(zeros, m_Intrinsic<Intrinsic::ctlz>(m_Specific(peers))) ? Chosen::Last
                                                                                    : Chosen::None;
  }

  /// Lanes with one value of `key` have one address, and others have others.
  bool isCounterOf(const Value *address, const Value *key) const {
    const auto *element = dyn_cast<GetElementPtrInst>(address);
    if (!element || element->getNumIndices() != 1 ||
        !lanes_.shapes.isUniform(element->getPointerOperand()))
      return false;
    const Value *index = element->getOperand(1);
    return index == key || match(index, m_ZExtOrSExt(m_Specific(key)));
  }

  /// The lanes that were asked are those that come to `block`, no others are counted as peers.
  bool isAskedByAll(const CallInst &match, const BasicBlock &block) const {
    unsigned asked = lanes_.order.index(match.getParent()), here = lanes_.order.index(&block);
    return sameMasks_[asked] == sameMasks_[here] && facts_.dominators.dominates(&match, &block);
  }

  bool isShared(const Value *address) const {
    return getUnderlyingObject(address) == thread_.getArg(ParamShared);
  }

  /// What makes `store` the last step of a ranking; no store if something is not as it must be.
  Ranking find(StoreInst &store) const {
    BasicBlock *then = store.getParent(), *before = then->getSinglePredecessor();
    BasicBlock *after = then->getSingleSuccessor();
    auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    Value *address = store.getPointerOperand(), *stored = store.getValueOperand();
    if (!branch || !branch->isConditional() || !after || branch->getSuccessor(0) != then ||
        branch->getSuccessor(1) != after || !store.isSimple() ||
        !stored->getType()->isIntegerTy() || !isShared(address) ||
        any_of(*then, [&](const Instruction &i) { return &i != &store && mayWrite(i); }))
      return {};
    for (Instruction &instruction : *before) {
      auto *old = dyn_cast<LoadInst>(&instruction);
      if (!old || !old->isSimple() || old->getPointerOperand() != address ||
          old->getType() != stored->getType() ||
          any_of(make_range(old->getIterator(), before->end()), mayWrite))
        continue;
      for (User *user : old->users()) {
        auto *rank = dyn_cast<Instruction>(user);
        Value *peers = rank && rank->getParent() == before ? peersOf(*rank, *old) : nullptr;
        auto *call = dyn_cast_or_null<CallInst>(peers);
        if (!call || callKind(*call) != CallKind::Match || call->getType()->isStructTy() ||
            !match(call->getArgOperand(0), m_AllOnes()) ||
            (call->getParent() != before && !isAskedByAll(*call, *before)) ||
            !isCounterOf(address, call->getArgOperand(1)))
          continue;
        Chosen chosen = chosenBy(branch->getCondition(), peers);
        bool countsAll =
            match(stored,
                  m_c_Add(m_Specific(old), m_Intrinsic<Intrinsic::ctpop>(m_Specific(peers)))) ||
            (chosen == Chosen::Last && match(stored, m_c_Add(m_Specific(rank), m_One())));
        if (chosen != Chosen::None && countsAll)
          return {call, old, rank, &store};
      }
    }
    return {};
  }

  /// Of old + popc(peers & lanes below); null if it is something else.
  Value *peersOf(Instruction &rank, LoadInst &old) const {
    Value *below = nullptr, *one = nullptr, *other = nullptr;
    if (!match(&rank, m_c_Add(m_Specific(&old), m_Intrinsic<Intrinsic::ctpop>(m_Value(below)))) ||
        !match(below, m_And(m_Value(one), m_Value(other))))
      return nullptr;
    return isLanesBelow(other) ? one : isLanesBelow(one) ? other : nullptr;
  }

  static void rewrite(const Ranking &ranking) {
    IRBuilder<> builder(ranking.rank);
    Value *address = ranking.old->getPointerOperand();
    Type *type = ranking.old->getType();
    Value *rank = builder.CreateAtomicRMW(AtomicRMWInst::Add, address, ConstantInt::get(type, 1),
                                          ranking.old->getAlign(), AtomicOrdering::Monotonic);
    rank->takeName(ranking.rank);
    ranking.rank->replaceAllUsesWith(rank);
    SmallVector<WeakTrackingVH, 4> dead = {ranking.rank, ranking.store->getValueOperand()};
    BasicBlock *then = ranking.store->getParent();
    ranking.store->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
    if (ranking.match->hasNUses(1)) // only asked which lane stores
      skip(*then);
    if (ranking.match->use_empty())
      ranking.match->eraseFromParent();
  }

  /// Nobody comes to `block` any more, which did nothing.
  static void skip(BasicBlock &block) {
    BasicBlock *after = block.getSingleSuccessor();
    if (block.size() > 1 || !after->phis().empty())
      return;
    Instruction *branch = block.getSinglePredecessor()->getTerminator();
    Value *condition = cast<BranchInst>(branch)->getCondition();
    BranchInst::Create(after, branch->getIterator());
    branch->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(condition);
    block.eraseFromParent();
  }

  Function &thread_;
  LoopFacts facts_;
  LaneShapes lanes_;
  std::vector<unsigned> sameMasks_;
};

} // namespace

PreservedAnalyses MatchRanks::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (kernel.options.width < WarpSize || !Ranks(kernel.thread, kernel.options).run())
    return PreservedAnalyses::all();
  renormalize(kernel.module, kernel.machine);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
