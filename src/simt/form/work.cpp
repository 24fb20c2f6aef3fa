// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code does in a program of so many lanes (thread_cost.h), counted from the shapes. What an
// operation takes on the machine's registers, and how long its result takes, LLVM knows.
#include "simt/form/thread_cost.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_subset.h"
#include "simt/form/columns.h"
#include "simt/form/sum_loops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr double Halt = 40;          ///< spills at a barrier, beside what a loop carries
constexpr double MathCall = 12;      ///< operations
constexpr double LinesHeld = 128;    ///< of rows that lie a pitch apart: few sets have them all
constexpr uint64_t LongestStep = 16; ///< bytes from one element of a row to the next
constexpr double MasksHeld = 2;      ///< registers of masks
constexpr unsigned LoadLatency = 5;  ///< cycles
constexpr double TurnOfSums = 3;     ///< rounds that a turn on vectors takes the time of

Work &operator+=(Work &sum, const Work &more) {
  for (unsigned kind = 0; kind < WorkKinds; ++kind)
    sum[kind] += more[kind];
  return sum;
}

Work only(WorkKind kind, double amount) {
  Work work = {};
  work[kind] = amount;
  return work;
}

} // namespace

double ThreadCost::registers(const Type *type, unsigned lanes) const {
  double bits = type->isPointerTy() ? 64 : std::max(8u, type->getScalarSizeInBits());
  return std::max(1.0, lanes * bits / options_.registers.bits);
}

/// What LLVM says that an operation on so many lanes takes.
double ThreadCost::operations(const Instruction &instruction, unsigned lanes,
                              TargetTransformInfo::TargetCostKind kind) const {
  auto wide = [&](Type *type) -> Type * {
    return lanes == 1 || !VectorType::isValidElementType(type) ? type
                                                               : FixedVectorType::get(type, lanes);
  };
  Type *type = wide(instruction.getType());
  InstructionCost cost = 1;
  if (isa<BinaryOperator>(instruction)) {
    unsigned opcode = instruction.getOpcode();
    if (instruction.isIntDivRem() && !isa<Constant>(instruction.getOperand(1)) && lanes > 1 &&
        instruction.getType()->getScalarSizeInBits() <= 32) { // goes through doubles
      opcode = Instruction::FDiv;
      type = wide(Type::getDoubleTy(type->getContext()));
    }
    cost = target_.getArithmeticInstrCost(
        opcode, type, kind, TargetTransformInfo::getOperandInfo(instruction.getOperand(0)),
        TargetTransformInfo::getOperandInfo(instruction.getOperand(1)));
  } else if (const auto *compare = dyn_cast<CmpInst>(&instruction)) {
    cost =
        target_.getCmpSelInstrCost(instruction.getOpcode(), wide(compare->getOperand(0)->getType()),
                                   type, compare->getPredicate(), kind);
  } else if (const auto *select = dyn_cast<SelectInst>(&instruction)) {
    cost = target_.getCmpSelInstrCost(Instruction::Select, type,
                                      wide(select->getCondition()->getType()),
                                      CmpInst::BAD_ICMP_PREDICATE, kind);
  } else if (const auto *cast = dyn_cast<CastInst>(&instruction)) {
    cost = target_.getCastInstrCost(cast->getOpcode(), type, wide(cast->getSrcTy()),
                                    TargetTransformInfo::CastContextHint::None, kind);
  } else if (const auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    SmallVector<Type *, 4> types;
    for (const Value *operand : call->args())
      types.push_back(wide(operand->getType()));
    cost = target_.getIntrinsicInstrCost({call->getIntrinsicID(), type, types}, kind);
  } else if (isa<GetElementPtrInst>(instruction)) {
    cost = lanes == 1 ? 0 : int(registers(instruction.getType(), lanes));
  }
  return cost.isValid() ? double(cost.getValue()) : lanes;
}

/// Registers of a mask, for which the machine has few.
double ThreadCost::masks(const Shapes &shapes) const {
  return std::max(0.0, shapes.width() / 16.0 - MasksHeld);
}

Work ThreadCost::accessWork(const Instruction &access, const Shapes &shapes,
                            const Place &place) const {
  Shape shape = shapes.of(getLoadStorePointerOperand(&access));
  bool isLoad = isa<LoadInst>(access);
  if (shape.uniform())
    return only(Scalars, 1);
  const Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
  int64_t size = access.getDataLayout().getTypeStoreSize(const_cast<Type *>(type));
  unsigned lanes = isLoad ? shape.period : shapes.width();
  double pieces = lanes / shape.segment;
  if (shape.segment >= 4 && shape.stride == 0 && isLoad) {
    Work work = only(Vectors, pieces);
    work[Masks] = place.masked ? pieces - 1 : 0;
    return work;
  }
  if (shape.segment >= 4 && std::abs(shape.stride) == size) {
    Work work = only(Vectors, registers(type, lanes));
    work[Scalars] = std::max(0.0, pieces - work[Vectors]);
    work[Masks] = place.masked ? pieces - 1 + masks(shapes) : 0;
    return work;
  }
  if (place.active < lanes && place.active <= 8)
    return only(Lanes, place.active);
  if (shape.regular && shape.span() > 0 && shape.span() <= 8 * size * lanes) // one wide access
    return only(Vectors, 2 * registers(type, divideCeil(shape.span(), size)));
  if (Columns columns = columnsOf(access, shapes, options_)) // a shuffle for each doubling of rows
    return only(Vectors,
                registers(type, lanes) * (1 + Log2_32(lanes / columns.count)) + columns.count);
  double lines = walksRow(access) ? 1 + lanes / LinesHeld : 1;
  return only(Lanes, lines * gather(access, lanes));
}

/// Each lane goes along a row of its own, so the nearest cache should hold a line for each.
bool ThreadCost::walksRow(const Instruction &access) const {
  const Loop *loop = facts_.loops.getLoopFor(access.getParent());
  const auto *walk = dyn_cast<SCEVAddRecExpr>(
      recurrences_.evolution.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&access))));
  const auto *step = walk && walk->getLoop() == loop
                         ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(recurrences_.evolution))
                         : nullptr;
  return step && step->getAPInt().abs().ule(LongestStep);
}

/// What LLVM says that lanes of memory at any places take.
double ThreadCost::gather(const Instruction &access, unsigned lanes) const {
  auto *type = getLoadStoreType(const_cast<Instruction *>(&access));
  if (!VectorType::isValidElementType(type))
    return lanes;
  InstructionCost cost = target_.getMemIntrinsicInstrCost(
      {isa<LoadInst>(access) ? Intrinsic::masked_gather : Intrinsic::masked_scatter,
       FixedVectorType::get(type, lanes), getLoadStorePointerOperand(&access),
       /*VariableMask=*/false, getLoadStoreAlignment(const_cast<Instruction *>(&access))},
      TargetTransformInfo::TCK_RecipThroughput);
  return cost.isValid() ? double(cost.getValue()) : lanes;
}

Work ThreadCost::callWork(const CallInst &call, const Shapes &shapes) const {
  unsigned lanes = shapes.of(&call).parts(), width = shapes.width();
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::ThreadIndex:
  case CallKind::WarpSync:
  case CallKind::Aligned:
    return {};
  case CallKind::Widen:
  case CallKind::Scalar:
  case CallKind::Native:
    return only(lanes > 1 ? Vectors : Scalars,
                operations(call, lanes, TargetTransformInfo::TCK_RecipThroughput));
  case CallKind::Math:
    return lanes > 1 ? only(Vectors, MathCall * registers(call.getType(), lanes))
                     : only(Scalars, MathCall);
  case CallKind::BlockBarrier: { // what a loop carries goes through the frame
    const Loop *loop = facts_.loops.getLoopFor(call.getParent());
    return threads_ > width ? only(Spills, Halt + (loop ? carriedBy(*loop, shapes) : 0)) : Work{};
  }
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Reduce:
  case CallKind::ActiveMask:
    return only(Vectors, 2 * registers(Type::getFloatTy(call.getContext()), width));
  default:
    return only(Lanes, 2 * width);
  }
}

Work ThreadCost::workOf(const Instruction &instruction, const Shapes &shapes,
                        const Place &place) const {
  unsigned width = shapes.width(), lanes = shapes.of(&instruction).parts();
  if (isa<PHINode, AllocaInst>(instruction))
    return {};
  if (instruction.isTerminator()) {
    const BasicBlock &block = *instruction.getParent();
    if (width == 1)
      return only(partsByValue(block) ? Masks : Scalars, 1);
    if (!shapes.isDivergent(&block))
      return only(Scalars, 1);
    Work work = only(Masks, 1);
    work[Vectors] = 2 * registers(Type::getInt8Ty(instruction.getContext()), width);
    return work;
  }
  if (instruction.isAtomic()) {
    bool isOne = isa<AtomicRMWInst>(instruction) && shapes.isUniform(instruction.getOperand(0));
    return only(Lanes, isOne ? 1 : place.active);
  }
  if (getLoadStorePointerOperand(&instruction))
    return accessWork(instruction, shapes, place);
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return callWork(*call, shapes);
  if (lanes == 1 && isa<CastInst, GetElementPtrInst>(instruction))
    return {};
  return only(lanes > 1 ? Vectors : Scalars,
              operations(instruction, lanes, TargetTransformInfo::TCK_RecipThroughput));
}

/// Of a vector; none for a scalar.
double ThreadCost::registersOf(const Instruction &value, const Shapes &shapes) const {
  unsigned lanes = shapes.of(&value).parts();
  return lanes > 1 ? registers(value.getType(), lanes) : 0;
}

/// Registers for the vectors that `loop` carries from round to round.
double ThreadCost::carriedBy(const Loop &loop, const Shapes &shapes) const {
  double carried = 0;
  for (const PHINode &phi : loop.getHeader()->phis())
    carried += registersOf(phi, shapes);
  return carried;
}

/// Registers for the vectors from before a loop that `block` uses: operands in memory where there
/// are too many.
double ThreadCost::fixedIn(const BasicBlock &block, const Shapes &shapes) const {
  const Loop *loop = facts_.loops.getLoopFor(&block);
  SmallPtrSet<const Value *, 16> seen;
  double fixed = 0;
  for (const Instruction &instruction : block)
    for (const Value *operand : instruction.operands())
      if (const auto *value = dyn_cast<Instruction>(operand);
          value && loop && !loop->contains(value) && seen.insert(value).second)
        fixed += registersOf(*value, shapes);
  return fixed;
}

/// Registers for the vectors that `block` has computed and that are still needed, where they are
/// most. A value that a loop hands on takes the register of the one before.
double ThreadCost::computedIn(const BasicBlock &block, const Shapes &shapes) const {
  const Loop *loop = facts_.loops.getLoopFor(&block);
  auto isNeededBehind = [&](const User *user) {
    bool handsOn =
        isa<PHINode>(user) && loop && cast<Instruction>(user)->getParent() == loop->getHeader();
    return cast<Instruction>(user)->getParent() != &block && !handsOn;
  };
  SmallPtrSet<const Value *, 32> live;
  double held = 0;
  auto hold = [&](const Value *value) {
    const auto *computed = dyn_cast<Instruction>(value);
    if (computed && computed->getParent() == &block && !isa<PHINode>(computed) &&
        live.insert(computed).second)
      held += registersOf(*computed, shapes);
  };
  for (const Instruction &instruction : block)
    if (any_of(instruction.users(), isNeededBehind))
      hold(&instruction);
  double most = held;
  for (const Instruction &instruction : reverse(block)) {
    if (live.erase(&instruction))
      held -= registersOf(instruction, shapes);
    if (!isa<PHINode>(instruction))
      for_each(instruction.operands(), hold);
    most = std::max(most, held);
  }
  return most;
}

/// Vectors that no register is left for. Each round waits for those that a loop carries; others
/// are stored meanwhile, and operands in memory later.
Work ThreadCost::spillsIn(const BasicBlock &block, const Shapes &shapes) const {
  const Loop *loop = facts_.loops.getLoopFor(&block);
  double fixed = fixedIn(block, shapes), carried = loop ? carriedBy(*loop, shapes) : 0;
  double over =
      std::max(0.0, fixed + carried + computedIn(block, shapes) - options_.registers.count);
  double ofCarried = std::min(carried, std::max(0.0, over - fixed));
  Work work = only(Spills, ofCarried);
  work[Vectors] = over - ofCarried;
  return work;
}

/// Cycles from one round of `loop` to the next: the longest chain of operations from a value that
/// it carries to the next value of it.
double ThreadCost::latency(const Loop &loop, const Shapes &shapes) const {
  DenseMap<const Value *, double> ready; // cycles after the round began
  for (const PHINode &phi : loop.getHeader()->phis())
    ready[&phi] = 0;
  for (const BasicBlock *block : path_.order.blocks) {
    if (!loop.contains(block))
      continue;
    for (const Instruction &instruction : *block) {
      if (ready.contains(&instruction))
        continue;
      double start = -1;
      for (const Value *operand : instruction.operands())
        if (auto known = ready.find(operand); known != ready.end())
          start = std::max(start, known->second);
      if (start < 0)
        continue;
      bool isFree = isa<PHINode, StoreInst>(instruction) || instruction.isTerminator();
      unsigned lanes = shapes.of(&instruction).parts() > 1 ? options_.registers.bits / 32 : 1;
      ready[&instruction] =
          start + (isFree ? 0
                   : isa<LoadInst>(instruction)
                       ? LoadLatency
                       : operations(instruction, lanes, TargetTransformInfo::TCK_Latency));
    }
  }
  double longest = 0;
  if (const BasicBlock *latch = loop.getLoopLatch())
    for (const PHINode &phi : loop.getHeader()->phis())
      longest = std::max(longest, ready.lookup(phi.getIncomingValueForBlock(latch)));
  return longest;
}

std::vector<ThreadCost::Part> ThreadCost::partsAt(const Shapes &shapes) {
  std::vector<Part> parts;
  LaneSubsets subsets(path_.order, {shapes.width(), options_.blockDim});
  MapVector<const Loop *, Work> loops; // innermost ones
  for (unsigned i = 0; i < path_.order.blocks.size(); ++i) {
    const BasicBlock &block = *path_.order.blocks[i];
    const Loop *loop = facts_.loops.getLoopFor(&block);
    Place place{isMasked(block, shapes), unsigned(subsets.at(i).count())};
    Part part{timesOf(loop), guardsOf(block), partingOf(loop), {}, 0};
    for (const Instruction &instruction : block)
      part.work += workOf(instruction, shapes, place);
    part.work += spillsIn(block, shapes);
    if (shapes.width() == 1 && sums_.contains(&block)) // a turn on vectors, and the sum at its end
      for (double &kind : part.work)
        kind *= TurnOfSums / SumLoop::Turn;
    else if (loop && loop->isInnermost())
      loops[loop] += part.work;
    parts.push_back(part);
  }
  for (const auto &[loop, work] : loops)
    parts.push_back({timesOf(loop), guardsOf(*loop->getHeader()), partingOf(loop), work,
                     latency(*loop, shapes)});
  return parts;
}

} // namespace heddle::simt
