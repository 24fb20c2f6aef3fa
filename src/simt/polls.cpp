// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that poll.
//
// A thread that polls goes round a loop until another thread has written something. Here the other
// thread may be one that runs only when this one gives way, so these loops must be known. A loop
// polls if its end depends on a value from outside: a volatile or atomic load, in a loop with a
// fence (or a pause) any load, an atomic operation, or a call of a function that holds one of
// these. The number of turns may have a bound, too.
//
// Not every loop whose end depends on such a value waits for somebody:
//  - *The address moves on* with each turn, and does not come back: a search through memory. Of
//    atomic operations also if it goes in a circle (a hash table's probes: others only fill it).
//  - *A retry*: a compare-and-swap that expects what was seen last, leaves the loop when it
//    succeeds, and is tried in each turn. If it fails, another thread has got on.
//  - *A counter*: an addition of something else than 0 goes on by itself (a queue of work). Unless
//    the loop takes it back: `while (atomicSub(&free, 1) <= 0) atomicAdd(&free, 1);`
//  - *A barrier of the block in each turn*: all threads of the block come round together.
//  - *The poll of an inner loop* that each turn goes through: that one polls.
// Where that cannot be told, the loop polls: it then costs time, and nothing else.
#include "simt/polls.h"

#include "simt/function_facts.h"
#include "simt/intrinsics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// How an address goes from turn to turn.
enum class Walk {
  MayStay,
  InCircle, ///< or anyhow: it may come back
  MovesOn,
};

bool isCall(const Instruction &instruction, CallKind kind) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == kind;
}

bool isSleep(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::nvvm_nanosleep;
}

bool isOrderedLoad(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic());
}

/// Functions that stayed functions: whether what they return may come from outside.
bool readsOutside(const Function &function, SmallPtrSetImpl<const Function *> &seen) {
  if (!seen.insert(&function).second)
    return false;
  return any_of(instructions(function), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return isOrderedLoad(instruction) ||
           isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction) ||
           isCall(instruction, CallKind::Indirect) || isCall(instruction, CallKind::Cas128) ||
           (isCall(instruction, CallKind::Device) &&
            readsOutside(*call->getCalledFunction(), seen));
  });
}

bool readsOutside(const CallInst &call) {
  SmallPtrSet<const Function *, 8> seen;
  switch (callKind(call)) {
  case CallKind::Cas128:
    return true;
  case CallKind::Device:
    return readsOutside(*call.getCalledFunction(), seen);
  case CallKind::Indirect: // any function that is no kernel
    return any_of(*call.getModule(), [&](const Function &function) {
      return !function.isDeclaration() && &function != call.getFunction() &&
             readsOutside(function, seen);
    });
  default:
    return false;
  }
}

class PollFinder {
public:
  PollFinder(const Loop &loop, const DominatorTree &dominators)
      : loop_(loop), dominators_(dominators) {
    loop.getLoopLatches(latches_);
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        isFenced_ |= isa<FenceInst>(instruction) || isSleep(instruction);
        syncsWarp_ |= isCall(instruction, CallKind::WarpSync);
        waitsForBlock_ |= (isCall(instruction, CallKind::BlockBarrier) ||
                           isCall(instruction, CallKind::GridBarrier)) &&
                          isInEachTurn(block);
      }
  }

  const Instruction *find() {
    if (waitsForBlock_)
      return nullptr;
    collectConditions();
    for (const Instruction *instruction : conditions_)
      if (polls(*instruction, isFenced_))
        return instruction;
    if (!syncsWarp_)
      return nullptr;
    // A lane polls, and the others see in memory what it has seen.
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &instruction : *block)
        if (polls(instruction, isFenced_))
          return any_of(conditions_, [&](const Instruction *i) { return polls(*i, true); })
                     ? &instruction
                     : nullptr;
    return nullptr;
  }

private:
  bool isInEachTurn(const BasicBlock *block) const {
    return all_of(latches_, [&](const BasicBlock *latch) {
      return dominators_.dominates(block, latch);
    });
  }

  /// What the loop's end depends on, inside the loop.
  void collectConditions() {
    SmallVector<BasicBlock *, 4> exiting;
    loop_.getExitingBlocks(exiting);
    SmallVector<const Instruction *, 16> work;
    auto visit = [&](const Value *value) {
      const auto *instruction = dyn_cast<Instruction>(value);
      if (instruction && loop_.contains(instruction) && seen_.insert(instruction).second) {
        conditions_.push_back(instruction);
        work.push_back(instruction);
      }
    };
    for (const BasicBlock *block : exiting)
      visit(block->getTerminator());
    while (!work.empty()) {
      const Instruction *instruction = work.pop_back_val();
      for (const Value *operand : instruction->operands())
        if (!isa<BasicBlock>(operand))
          visit(operand);
      // What a phi gives depends on the branches that lead to it.
      const auto *phi = dyn_cast<PHINode>(instruction);
      if (phi && phi->getParent() != loop_.getHeader())
        for (const BasicBlock *block : blocksBefore(*phi))
          visit(block->getTerminator());
    }
  }

  /// Those between the phi and the block where the ways to it part.
  SmallVector<const BasicBlock *, 8> blocksBefore(const PHINode &phi) const {
    const BasicBlock *join = phi.getParent();
    const auto *node = dominators_.getNode(join);
    const BasicBlock *parting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<const BasicBlock *, 8> found;
    SmallPtrSet<const BasicBlock *, 8> seen = {join};
    SmallVector<const BasicBlock *, 8> work(phi.blocks());
    while (!work.empty()) {
      const BasicBlock *block = work.pop_back_val();
      if (!loop_.contains(block) || !seen.insert(block).second)
        continue;
      found.push_back(block);
      if (block != parting && block != loop_.getHeader())
        append_range(work, predecessors(block));
    }
    return found;
  }

  bool polls(const Instruction &instruction, bool anyLoad) const {
    if (isPollOfInnerLoop(instruction))
      return false;
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      return (isOrderedLoad(*load) || (anyLoad && mayBeOthers(*load))) &&
             walkOf(load->getPointerOperand()) != Walk::MovesOn;
    if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return walkOf(swap->getPointerOperand()) == Walk::MayStay && !isRetry(*swap);
    if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
      return walkOf(rmw->getPointerOperand()) == Walk::MayStay && !isCounter(*rmw);
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && readsOutside(*call);
  }

  static bool mayBeOthers(const LoadInst &load) {
    const Value *object = getUnderlyingObject(load.getPointerOperand());
    const auto *argument = dyn_cast<Argument>(object);
    return !load.hasMetadata(LLVMContext::MD_invariant_load) && !isa<AllocaInst>(object) &&
           !(argument && argument->getName() == "launch");
  }

  /// Each turn of this loop goes through an inner loop that polls with it.
  bool isPollOfInnerLoop(const Instruction &instruction) const {
    for (const Loop *inner : loop_.getSubLoops())
      if (inner->contains(&instruction))
        return isInEachTurn(inner->getHeader()) && findPoll(*inner, dominators_);
    return false;
  }

  // Addresses.

  Walk walkOf(const Value *address) const {
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const PHINode *, 4> variables;
    Walk walk = Walk::MayStay;
    bool wraps = findVariables(address, seen, variables);
    for (const PHINode *variable : variables)
      for (const BasicBlock *latch : latches_)
        walk = std::max(walk, stepOf(*variable, variable->getIncomingValueForBlock(latch)));
    return wraps ? std::min(walk, Walk::InCircle) : walk;
  }

  /// The loop's variables that an address is computed from. Returns whether it may be the same for
  /// different values of them.
  bool findVariables(const Value *value, SmallPtrSetImpl<const Value *> &seen,
                     SmallVectorImpl<const PHINode *> &variables) const {
    const auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop_.contains(instruction) || !seen.insert(value).second)
      return false;
    const auto *phi = dyn_cast<PHINode>(instruction);
    if (phi && phi->getParent() == loop_.getHeader()) {
      variables.push_back(phi);
      return false;
    }
    bool wraps = !phi && !isa<GetElementPtrInst, CastInst, SelectInst>(instruction) &&
                 !match(value, m_Add(m_Value(), m_Value())) &&
                 !match(value, m_Sub(m_Value(), m_Value())) &&
                 !match(value, m_Mul(m_Value(), m_Value())) &&
                 !match(value, m_Shl(m_Value(), m_Value()));
    if (!instruction->mayReadFromMemory())
      for (const Value *operand : instruction->operands())
        wraps |= findVariables(operand, seen, variables);
    return wraps;
  }

  /// How the variable goes into the next turn.
  Walk stepOf(const PHINode &variable, const Value *next) const {
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const Value *, 8> work = {next};
    Walk walk = Walk::MovesOn;
    while (!work.empty()) {
      const Value *value = work.pop_back_val();
      if (value == &variable || loop_.isLoopInvariant(value)) // the same from the second turn on
        return Walk::MayStay;
      if (!seen.insert(value).second)
        continue;
      const auto *instruction = cast<Instruction>(value);
      if (isa<PHINode>(instruction) && instruction->getParent() != loop_.getHeader()) {
        append_range(work, instruction->operands());
      } else if (const auto *select = dyn_cast<SelectInst>(instruction)) {
        work.append({select->getTrueValue(), select->getFalseValue()});
      } else if (isa<CastInst>(instruction) && !instruction->getOperand(0)->getType()->isIntegerTy(1)) {
        work.push_back(instruction->getOperand(0));
      } else if (isa<GetElementPtrInst>(instruction) ||
                 match(value, m_Add(m_Value(), m_Value())) ||
                 match(value, m_Sub(m_Value(), m_Value()))) {
        // By a step that may be 0, unless it is the same in all turns.
        if (count_if(instruction->operands(),
                     [&](const Value *operand) { return !loop_.isLoopInvariant(operand); }) > 1)
          return Walk::MayStay;
      } else if (!isa<LoadInst>(instruction)) { // what memory says is the next
        walk = Walk::InCircle;
      }
    }
    return walk;
  }

  // Atomic operations.

  bool isCounter(const AtomicRMWInst &rmw) const {
    const Value *step = rmw.getValOperand();
    switch (rmw.getOperation()) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
      if (match(step, m_Zero()))
        return false;
      break;
    case AtomicRMWInst::FAdd:
    case AtomicRMWInst::FSub:
      if (match(step, m_AnyZeroFP()))
        return false;
      break;
    case AtomicRMWInst::UIncWrap:
    case AtomicRMWInst::UDecWrap:
      break;
    default:
      return false;
    }
    return !mayBeNone(step) && !isTakenBack(rmw);
  }

  /// A step that is chosen, maybe to be 0.
  static bool mayBeNone(const Value *step) {
    if (const auto *cast = dyn_cast<CastInst>(step))
      return cast->getOperand(0)->getType()->isIntegerTy(1) || mayBeNone(cast->getOperand(0));
    return isa<SelectInst, PHINode>(step) && any_of(cast<User>(step)->operands(), [](const Use &use) {
             return match(use.get(), m_Zero());
           });
  }

  bool isTakenBack(const AtomicRMWInst &rmw) const {
    const Value *address = rmw.getPointerOperand();
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &other : *block) {
        const Value *changed = nullptr;
        if (const auto *atomic = dyn_cast<AtomicRMWInst>(&other))
          changed = atomic->getPointerOperand();
        else if (const auto *store = dyn_cast<StoreInst>(&other))
          changed = store->getPointerOperand();
        if (&other != &rmw && changed == address)
          return true;
      }
    return false;
  }

  bool isRetry(const AtomicCmpXchgInst &swap) const {
    const Loop *loop = &loop_;
    for (bool isDeeper = true; isDeeper;) { // to the innermost loop around it
      isDeeper = false;
      for (const Loop *inner : loop->getSubLoops())
        if (inner->contains(&swap)) {
          loop = inner;
          isDeeper = true;
          break;
        }
    }
    SmallVector<BasicBlock *, 4> latches, exiting;
    loop->getLoopLatches(latches);
    loop->getExitingBlocks(exiting);
    return all_of(latches,
                  [&](BasicBlock *latch) {
                    return dominators_.dominates(swap.getParent(), latch);
                  }) &&
           expectsWhatItSaw(swap, *loop) && any_of(exiting, [&](const BasicBlock *block) {
             const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
             return branch && branch->isConditional() &&
                    leavesWith(branch->getCondition(), !loop->contains(branch->getSuccessor(0)),
                               swap);
           });
  }

  /// The expected value is what the swap of the turn before found, or what was loaded from there.
  static bool expectsWhatItSaw(const AtomicCmpXchgInst &swap, const Loop &loop) {
    SmallPtrSet<const Value *, 16> seen;
    SmallVector<const Value *, 16> work = {swap.getCompareOperand()};
    while (!work.empty()) {
      const auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
      if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second)
        continue;
      const auto *load = dyn_cast<LoadInst>(instruction);
      if (instruction == &swap || (load && load->getPointerOperand() == swap.getPointerOperand()))
        return true;
      append_range(work, instruction->operands());
    }
    return false;
  }

  /// If the swap succeeds, `condition` has the value `holds`.
  static bool leavesWith(const Value *condition, bool holds, const AtomicCmpXchgInst &swap) {
    const Value *left = nullptr, *right = nullptr;
    if (match(condition, m_Not(m_Value(left))))
      return leavesWith(left, !holds, swap);
    if (holds ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
              : match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
      return leavesWith(left, holds, swap) || leavesWith(right, holds, swap);
    if (match(condition, m_ExtractValue<1>(m_Specific(&swap))))
      return holds;
    const auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare || !compare->isEquality() ||
        (compare->getPredicate() == ICmpInst::ICMP_EQ) != holds)
      return false;
    const Value *expected = swap.getCompareOperand();
    auto isOld = [&](const Value *v) { return match(v, m_ExtractValue<0>(m_Specific(&swap))); };
    return (isOld(compare->getOperand(0)) && compare->getOperand(1) == expected) ||
           (isOld(compare->getOperand(1)) && compare->getOperand(0) == expected);
  }

  const Loop &loop_;
  const DominatorTree &dominators_;
  SmallVector<BasicBlock *, 4> latches_;
  bool isFenced_ = false, syncsWarp_ = false, waitsForBlock_ = false;
  SmallVector<const Instruction *, 16> conditions_;
  SmallPtrSet<const Instruction *, 16> seen_;
};

void mark(Loop &loop, const Instruction &poll, DominatorTree &dominators, LoopInfo &loops) {
  Module &module = *loop.getHeader()->getModule();
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  auto call = [&](StringRef name) {
    builder.SetCurrentDebugLocation(poll.getDebugLoc());
    builder.CreateCall(module.getOrInsertFunction(name, builder.getVoidTy()));
  };
  call(PollName);
  BasicBlock *latch = loop.getLoopLatch();
  if (latch->getSingleSuccessor())
    builder.SetInsertPoint(latch->getTerminator());
  else
    builder.SetInsertPoint(
        SplitEdge(latch, loop.getHeader(), &dominators, &loops)->getTerminator());
  call(YieldName);
}

void yieldInSleeps(Module &module) {
  SmallVector<Instruction *, 4> sleeps;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isSleep(instruction))
        sleeps.push_back(&instruction);
  for (Instruction *sleep : sleeps) {
    IRBuilder<> builder(sleep);
    builder.CreateCall(module.getOrInsertFunction(YieldName, builder.getVoidTy()));
    sleep->eraseFromParent();
  }
}

bool isCachedLoad(const Instruction &instruction) {
  return isa<LoadInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_nontemporal);
}

} // namespace

const Instruction *findPoll(const Loop &loop, const DominatorTree &dominators) {
  return PollFinder(loop, dominators).find();
}

bool markPolls(Module &module) {
  bool any = false;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    LoopFacts facts(function);
    SmallVector<std::pair<Loop *, const Instruction *>, 4> polls;
    for (Loop *loop : facts.loops.getLoopsInPreorder())
      if (const Instruction *poll = findPoll(*loop, facts.dominators))
        polls.push_back({loop, poll});
    for (auto [loop, poll] : polls)
      mark(*loop, *poll, facts.dominators, facts.loops);
    any |= !polls.empty();
  }
  if (any)
    yieldInSleeps(module);
  return any;
}

void relaxCachedLoads(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *, 8> found;
    for (Instruction &instruction : instructions(function))
      if (isCachedLoad(instruction) || isThreadFence(instruction))
        found.push_back(&instruction);
    if (found.empty())
      continue;
    LoopFacts facts(function);
    SmallPtrSet<const BasicBlock *, 16> polling;
    for (const Loop *loop : facts.loops.getLoopsInPreorder())
      if (findPoll(*loop, facts.dominators))
        polling.insert(loop->block_begin(), loop->block_end());
    for (Instruction *instruction : found) {
      bool polls = polling.contains(instruction->getParent());
      if (auto *load = dyn_cast<LoadInst>(instruction)) {
        load->setMetadata(LLVMContext::MD_nontemporal, nullptr);
        load->setVolatile(load->isVolatile() || polls);
      } else if (!polls) {
        instruction->eraseFromParent();
      }
    }
  }
}

} // namespace heddle::simt
