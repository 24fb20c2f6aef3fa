// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spin lock that lanes of one warp fight for:
//
//     while (atomicCAS(&lock, 0, 1) != 0)
//       ;
//     ...
//     atomicExch(&lock, 0);
//
// A warp program leaves a loop when no lane is left in it, so the lane that has the lock would wait
// for those that wait for the lock. One thread after the other, at width 1, there is nothing to
// wait for. What is looked for is a loop
//  - that does nothing but look: no stores, no barriers, only *polls*, which do the same each time
//  unless somebody
//    else writes: a compare-and-swap of values from outside the loop, an exchange, or, and, minimum
//    or maximum, an addition of 0, a volatile load;
//  - whose end depends on a poll, and not on what earlier turns did. (A compare-and-swap loop that
//  makes an
//    addition of floats expects what it has just read: some lane always succeeds, nobody waits. A
//    loop that takes numbers from a counter goes on by itself.)
//  - which lanes leave at different times, as the shapes say;
//  - to which more than one lane of a warp comes: not under `if (threadIdx.x == 0)`.
//
// A lane that polls with volatile loads only may wait for another block (a scan that looks back);
// where the warp's lanes exchange values by warp operations anyway, that is taken to be so, because
// width 1 would be slow.
#include "simt/lane_locks.h"

#include "simt/function_facts.h"
#include "simt/intrinsics.h"

#include "llvm/IR/InstIterator.h"

#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

enum class Poll { No, Load, Atomic };

/// `value` is not computed in the loop from what is read there anew.
bool isFixed(const Value *value, const Loop &loop) { return loop.isLoopInvariant(value); }

Poll pollOf(const Instruction &instruction, const Loop &loop) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isVolatile() || load->isAtomic() ? Poll::Load : Poll::No;
  if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isFixed(swap->getCompareOperand(), loop) && isFixed(swap->getNewValOperand(), loop)
               ? Poll::Atomic
               : Poll::No;
  const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
  if (!atomic || !isFixed(atomic->getValOperand(), loop))
    return Poll::No;
  const auto *constant = dyn_cast<ConstantInt>(atomic->getValOperand());
  switch (atomic->getOperation()) {
  case AtomicRMWInst::Xchg:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return Poll::Atomic;
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Xor:
    return constant && constant->isZero() ? Poll::Atomic : Poll::No;
  default:
    return Poll::No;
  }
}

/// A call that only takes time.
bool isIdle(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::Scalar:
  case CallKind::Widen:
  case CallKind::ThreadIndex:
    return true;
  default:
    return !call.mayWriteToMemory();
  }
}

bool onlyLooks(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      if (call ? !isIdle(*call)
               : instruction.mayWriteToMemory() && !isa<FenceInst>(instruction) &&
                     pollOf(instruction, loop) == Poll::No)
        return false;
    }
  return true;
}

/// How the branch at the end of `exiting` depends on polls of the loop; No also if it depends on
/// earlier turns.
Poll endOf(const Loop &loop, const BasicBlock *exiting) {
  SmallVector<const Instruction *, 16> work;
  SmallPtrSet<const Instruction *, 16> seen;
  auto visit = [&](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    if (instruction && loop.contains(instruction) && seen.insert(instruction).second)
      work.push_back(instruction);
  };
  visit(exiting->getTerminator());
  Poll found = Poll::No;
  while (!work.empty()) {
    const Instruction *instruction = work.pop_back_val();
    found = std::max(found, pollOf(*instruction, loop));
    for (const Value *operand : instruction->operands())
      visit(operand);
    const auto *phi = dyn_cast<PHINode>(instruction);
    if (phi && phi->getParent() == loop.getHeader())
      return Poll::No;
    if (phi)
      for (const BasicBlock *block : phi->blocks())
        visit(block->getTerminator());
  }
  return found;
}

/// The values that conditions on thread indices take in a thread of the block.
class ThreadValues {
public:
  ThreadValues(const std::array<unsigned, 3> &blockDim, unsigned thread)
      : index_{thread % blockDim[0], thread / blockDim[0] % blockDim[1],
               thread / (blockDim[0] * blockDim[1])},
        lane_(thread % WarpSize) {}

  /// Nothing if it depends on anything else.
  std::optional<APInt> of(const Value *value, unsigned depth = 0) const {
    constexpr unsigned MaxDepth = 8;
    if (const auto *constant = dyn_cast<ConstantInt>(value))
      return constant->getValue();
    if (depth > MaxDepth || !value->getType()->isIntegerTy())
      return std::nullopt;
    unsigned bits = value->getType()->getIntegerBitWidth();
    if (const auto *call = dyn_cast<CallInst>(value))
      return ofCall(*call, bits);
    if (const auto *cast = dyn_cast<CastInst>(value)) {
      auto from = of(cast->getOperand(0), depth + 1);
      if (!from || !(isa<ZExtInst, SExtInst, TruncInst>(cast)))
        return std::nullopt;
      return isa<SExtInst>(cast) ? from->sextOrTrunc(bits) : from->zextOrTrunc(bits);
    }
    if (!isa<BinaryOperator, ICmpInst>(value))
      return std::nullopt;
    const auto *user = cast<User>(value);
    auto left = of(user->getOperand(0), depth + 1), right = of(user->getOperand(1), depth + 1);
    if (const auto *compare = dyn_cast<ICmpInst>(value))
      return left && right ? std::optional(APInt(
                                 1, ICmpInst::compare(*left, *right, compare->getPredicate())))
                           : std::nullopt;
    return ofBinary(cast<BinaryOperator>(value)->getOpcode(), left, right);
  }

private:
  std::optional<APInt> ofCall(const CallInst &call, unsigned bits) const {
    switch (warpBehaviour(call)) {
    case WarpBehaviour::ThreadIndexX:
      return APInt(bits, index_[0]);
    case WarpBehaviour::ThreadIndexY:
      return APInt(bits, index_[1]);
    case WarpBehaviour::ThreadIndexZ:
      return APInt(bits, index_[2]);
    case WarpBehaviour::LaneId:
      return APInt(bits, lane_);
    default:
      return std::nullopt;
    }
  }
  static std::optional<APInt> ofBinary(unsigned opcode, const std::optional<APInt> &left,
                                       const std::optional<APInt> &right) {
    // One false side is enough.
    for (const auto *side : {&left, &right})
      if (opcode == Instruction::And && *side && (*side)->isZero())
        return **side;
    if (!left || !right)
      return std::nullopt;
    switch (opcode) {
    case Instruction::Add:
      return *left + *right;
    case Instruction::Sub:
      return *left - *right;
    case Instruction::Mul:
      return *left * *right;
    case Instruction::And:
      return *left & *right;
    case Instruction::Or:
      return *left | *right;
    case Instruction::Xor:
      return *left ^ *right;
    case Instruction::Shl:
      return left->shl(*right);
    case Instruction::LShr:
      return left->lshr(*right);
    case Instruction::URem:
      return right->isZero() ? std::nullopt : std::optional(left->urem(*right));
    case Instruction::UDiv:
      return right->isZero() ? std::nullopt : std::optional(left->udiv(*right));
    default:
      return std::nullopt;
    }
  }

  unsigned index_[3], lane_;
};

class LaneLocks {
public:
  LaneLocks(Function &thread, const Options &options)
      : thread_(thread), options_(options), facts_(thread),
        lanes_(thread, facts_, {WarpSize, options.blockDim}) {}

  bool found() {
    for (const Loop *loop : facts_.loops.getLoopsInPreorder())
      if (isLock(*loop) && severalLanesReach(loop->getHeader()))
        return true;
    return false;
  }

private:
  bool isLock(const Loop &loop) {
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    bool looks = false;
    for (const BasicBlock *block : exiting) {
      Poll end = lanes_.shapes.isDivergent(block) ? endOf(loop, block) : Poll::No;
      looks |= end == Poll::Atomic || (end == Poll::Load && !hasWarpOperations());
    }
    return looks && onlyLooks(loop);
  }

  bool hasWarpOperations() {
    return any_of(instructions(thread_), [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      return call &&
             is_contained({CallKind::Shuffle, CallKind::Vote, CallKind::Match, CallKind::Reduce},
                          callKind(*call));
    });
  }

  /// Conditions that hold, or do not, wherever `block` runs.
  using Guards = SmallVector<std::pair<const Value *, bool>, 4>;
  Guards guardsOf(const BasicBlock *block) {
    Guards guards;
    for (auto *node = facts_.dominators.getNode(block)->getIDom(); node; node = node->getIDom()) {
      const auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      for (unsigned i = 0; i < 2; ++i)
        if (facts_.dominators.dominates(BasicBlockEdge(node->getBlock(), branch->getSuccessor(i)),
                                        block))
          guards.push_back({branch->getCondition(), i == 0});
    }
    return guards;
  }

  /// `lane == same in all lanes`.
  bool picksOneLane(const Value *condition, bool holds) {
    const auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare || compare->getPredicate() != (holds ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE))
      return false;
    Shape left = lanes_.shapes.of(compare->getOperand(0)),
          right = lanes_.shapes.of(compare->getOperand(1));
    auto differs = [](const Shape &shape) {
      return shape.segment == WarpSize && shape.stride != 0;
    };
    return (differs(left) && right.uniform()) || (differs(right) && left.uniform());
  }

  bool severalLanesReach(const BasicBlock *block) {
    Guards guards = guardsOf(block);
    for (auto [condition, holds] : guards)
      if (picksOneLane(condition, holds))
        return false;
    unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
    for (unsigned thread = 0, inWarp = 0; thread < threads; ++thread) {
      if (thread % WarpSize == 0)
        inWarp = 0;
      ThreadValues values(options_.blockDim, thread);
      bool stays = none_of(guards, [&](auto guard) {
        auto value = values.of(guard.first);
        return value && value->isZero() == guard.second;
      });
      if (stays && ++inWarp > 1)
        return true;
    }
    return false;
  }

  Function &thread_;
  const Options &options_;
  LoopFacts facts_;
  LaneShapes lanes_;
};

} // namespace

bool lanesWaitForLanes(const ThreadProgram &program, const Options &options) {
  return program.maySpin && LaneLocks(*program.body, options).found();
}

} // namespace heddle::simt
