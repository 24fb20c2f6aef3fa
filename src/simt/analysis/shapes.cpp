// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed point. All values start at the top (unknown, which stands for "as good as you like");
// one sweep in block order evaluates every transfer function and meets the result with what was
// there, and sweeps go on until nothing changes. Shapes only fall, a block becomes a join and a
// branch divergent only once, so this ends; most kernels need two or three sweeps.
//
// Rejected: LLVM's uniformity analysis. It asks the target, and shapes need the same fixed point
// anyway.
#include "simt/analysis/shapes.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/mbarriers.h"
#include "simt/lower/lower_device.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

uint64_t laneDistance(const AllocaInst &alloca) {
  return alignTo(alloca.getAllocationSize(alloca.getDataLayout())->getFixedValue(),
                 alloca.getAlign());
}

Shapes::Shapes(const BlockOrder &order, LoopInfo &loops, PostDominatorTree &postDominators,
               const LaneFacts &facts, bool argumentsVary)
    : ShapeAlgebra(facts), tables_(facts.blockDim), order_(order), loops_(loops),
      postDominators_(postDominators), argumentsVary_(argumentsVary) {
  solve();
}

Shape Shapes::of(const Value *value) const {
  if (const auto *constant = dyn_cast<ConstantInt>(value))
    return uniform(constant->isZero() ? AlignOfZero : constant->getValue().countr_zero());
  if (isa<Constant>(value) || isa<BasicBlock>(value) || isa<MetadataAsValue>(value) ||
      isa<InlineAsm>(value))
    return uniform();
  if (const auto *argument = dyn_cast<Argument>(value))
    return argumentsVary_ && argument->getArgNo() >= ContextParams ? varying() : uniform();
  return shapes_.lookup(value);
}

bool Shapes::neverInAllLanes(const Value *condition, bool expected) const {
  const ThreadTable *table = tables_.of(const_cast<Value *>(condition));
  if (!table)
    return false;
  for (size_t first = 0; first < table->size(); first += width()) {
    ArrayRef<int64_t> lanes = ArrayRef(*table).slice(first).take_front(width());
    if (all_of(lanes, [&](int64_t lane) { return (lane != 0) == expected; }))
      return false;
  }
  return true;
}

bool Shapes::isDivergent(const BasicBlock *block) const { return divergent_.contains(block); }

/// Strides are modulo the size of the type: the smallest ones stand for all.
static Shape inType(Shape shape, const Type &type) {
  unsigned bits = type.isIntegerTy() ? type.getIntegerBitWidth() : 64;
  if (bits >= 8 && bits < 64) {
    shape.stride = SignExtend64(shape.stride, bits);
    shape.step = SignExtend64(shape.step, bits);
  }
  return shape;
}

void Shapes::solve() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : order_.blocks) {
      for (Instruction &instruction : *block) {
        Shape old = of(&instruction);
        Shape now = meet(old, normal(inType(transfer(instruction), *instruction.getType())));
        if (now == old)
          continue;
        shapes_[&instruction] = now;
        changed = true;
      }
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || divergent_.contains(block))
        continue;
      Shape condition = of(branch->getCondition());
      if (!condition.known() || condition.uniform())
        continue;
      divergent_.insert(block);
      markJoins(block);
      changed = true;
    }
  }
}

/// Of a result of this value alone: what is the same in several lanes still is.
Shape Shapes::alike(Shape shape) const {
  if (!shape.known() || shape.uniform())
    return shape.known() ? uniform() : Shape{};
  unsigned segment = shape.stride == 0 ? shape.segment : 1;
  return normal({segment, shape.period, 0, 0, false, 0});
}

Shape Shapes::elementwise(const User &user) const {
  unsigned segment = facts_.width, period = 1;
  for (const Value *operand : user.operands()) {
    Shape shape = of(operand);
    if (!shape.known())
      return {};
    if (shape.uniform())
      continue;
    segment = shape.stride == 0 ? std::min(segment, shape.segment) : 1;
    period = std::max(period, shape.period);
  }
  return period == 1 ? uniform() : normal({segment, period, 0, 0, false, 0});
}

Shape Shapes::transfer(const Instruction &instruction) const {
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return transferBinary(*binary);
  if (const auto *cast = dyn_cast<CastInst>(&instruction))
    return transferCast(*cast);
  if (const auto *compare = dyn_cast<ICmpInst>(&instruction))
    return transferCompare(*compare);
  if (const auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    return transferGep(*gep);
  if (const auto *phi = dyn_cast<PHINode>(&instruction))
    return transferPhi(*phi);
  if (const auto *select = dyn_cast<SelectInst>(&instruction))
    return transferSelect(*select);
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return transferCall(*call);
  if (isa<FreezeInst>(instruction))
    return of(instruction.getOperand(0));
  if (const auto *alloca = dyn_cast<AllocaInst>(&instruction))
    return affine(static_cast<int64_t>(laneDistance(*alloca)), 0);
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return varying();
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return elementwise(*load);
  return elementwise(instruction);
}

static bool isVarying(const Shape &shape) { return shape.segment == 1 && !shape.regular; }

/// 2^this divides the bound of the comparison that the value on the left is below, or not: y of
/// x < y, y + 1 of x <= y. 0 where there is none.
static unsigned alignOfBound(CmpInst::Predicate predicate, const Value *y, const Shape &shape) {
  switch (predicate) {
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SGE:
    return shape.align;
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_SGT:
    return isa<ConstantInt>(y) ? cast<ConstantInt>(y)->getValue().countr_one() : 0;
  default:
    return 0;
  }
}

/// x < y says the same of all x with one quotient by 2^k where that divides y, so `threadIdx.x <
/// 32` is uniform in a warp.
Shape Shapes::transferCompare(const ICmpInst &compare) const {
  CmpInst::Predicate predicate = compare.getPredicate();
  const Value *x = compare.getOperand(0), *y = compare.getOperand(1);
  if (of(x).known() && of(x).uniform()) {
    std::swap(x, y);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  Shape shape = of(x), bound = of(y);
  if (!shape.known() || !bound.known() || shape.uniform() || !bound.uniform() ||
      !x->getType()->isIntegerTy())
    return elementwise(compare);
  unsigned bits = x->getType()->getIntegerBitWidth();
  Shape result = quotient(shape, std::min(alignOfBound(predicate, y, bound), bits - 1));
  if (isVarying(result) || result.stride != 0)
    return elementwise(compare);
  return result.uniform() ? uniform() : normal({result.segment, result.period, 0, 0, false, 0});
}

Shape Shapes::transferBinary(const BinaryOperator &op) const {
  Shape a = of(op.getOperand(0)), b = of(op.getOperand(1));
  if (!a.known() || !b.known())
    return {};
  unsigned opcode = op.getOpcode();
  const auto *constant = dyn_cast<ConstantInt>(op.getOperand(1));
  switch (opcode) {
  case Instruction::Or: { // x | (2^bits - 1): the quotient, in its place, and a constant
    if (cast<PossiblyDisjointInst>(op).isDisjoint())
      return sum(a, b, 1);
    if (!constant || !constant->getValue().isMask() || constant->getValue().isAllOnes())
      return elementwise(op);
    unsigned bits = constant->getValue().popcount();
    Shape result = quotient(a, bits);
    if (isVarying(result) ||
        !(result.uniform() || a.cannotCarry(op.getType()->getScalarSizeInBits())))
      return elementwise(op);
    return sum(scaled(result, int64_t(1) << bits), b, 1);
  }
  case Instruction::Add:
    return sum(a, b, 1);
  case Instruction::Sub:
    return sum(a, b, -1);
  case Instruction::Mul:
  case Instruction::Shl: {
    bool shift = opcode == Instruction::Shl;
    if (constant && constant->getValue().getSignificantBits() <= 31 &&
        (!shift || constant->getZExtValue() < 31))
      return scaled(a, shift ? int64_t(1) << constant->getZExtValue() : constant->getSExtValue());
    Shape result = elementwise(op);
    if (result.uniform())
      result.align = shift ? a.align : std::min(AlignOfZero, a.align + b.align);
    return result;
  }
  case Instruction::LShr: {
    Shape result = constant ? quotient(a, constant->getValue().getLimitedValue(63)) : varying();
    if (isVarying(result))
      return elementwise(op);
    if (result.uniform() || a.cannotCarry(op.getType()->getScalarSizeInBits()))
      return result;
    // Lanes on both sides of a wrap: what is constant in a segment still is.
    return result.stride == 0 ? normal({result.segment, result.period, 0, 0, false, 0})
                              : elementwise(op);
  }
  case Instruction::And: { // x & (2^bits - 1) * 2^shift: the bits above the shift, in their place
    unsigned shift = 0, bits = 0;
    if (!constant || !constant->getValue().isShiftedMask(shift, bits))
      return elementwise(op);
    Shape result = scaled(remainder(quotient(a, shift), bits), int64_t(1) << shift);
    return isVarying(result) ? elementwise(op) : result;
  }
  case Instruction::Xor: { // x ^ (k * 2^c): aligned runs of 2^c lanes keep their order
    if (constant && constant->isMinusOne()) // -1 - x, which LLVM makes of n - 1 - i
      return sum(b, a, -1);
    unsigned run = std::min(a.segment, 1u << std::min(b.align, 16u));
    if (!b.uniform() || a.stride != 1 || a.firstLaneAlign() < Log2_32(run))
      return elementwise(op);
    return normal({run, a.period, 1, 0, false, Log2_32(run)});
  }
  default:
    return elementwise(op);
  }
}

/// An extension keeps the shape if no lane can wrap around. (Where that is known otherwise, the
/// terms have been extended, and not their sum: analysis/overflow.h.)
Shape Shapes::extension(const CastInst &cast, Shape shape) const {
  Sign sign = isa<SExtInst>(cast) ? Sign::Signed : Sign::Unsigned;
  bool keeps =
      shape.cannotCarry(cast.getSrcTy()->getScalarSizeInBits(), sign) || isKnown(cast, shape);
  return keeps ? shape : elementwise(cast);
}

/// What is known of each thread goes like that.
bool Shapes::isKnown(const Instruction &value, const Shape &shape) const {
  const ThreadTable *table = tables_.of(const_cast<Instruction *>(&value));
  if (!table)
    return false;
  unsigned width = facts_.width;
  for (unsigned thread = 0; thread < tables_.threads(); ++thread) {
    unsigned lane = thread % width, first = thread - lane + shape.part(lane) * shape.segment;
    if ((*table)[thread] != (*table)[first] + shape.offset(lane))
      return false;
  }
  return true;
}

Shape Shapes::transferCast(const CastInst &cast) const {
  Shape shape = of(cast.getOperand(0));
  if (!shape.known())
    return shape;
  bool counts = shape.stride != 0 || shape.step != 0;
  if (!counts) {
    bool integral = cast.getType()->isIntOrIntVectorTy() && cast.getSrcTy()->isIntOrIntVectorTy();
    shape.align = integral ? shape.align : 0;
    return shape;
  }
  switch (cast.getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
    return extension(cast, shape);
  case Instruction::Trunc:
    return shape;
  case Instruction::IntToPtr: // an extension, or cuts
    shape = cast.getSrcTy()->getIntegerBitWidth() < 64 ? extension(cast, shape) : shape;
    [[fallthrough]];
  case Instruction::PtrToInt:
  case Instruction::AddrSpaceCast:
    shape.align = 0;
    return shape;
  case Instruction::BitCast:
    return cast.getType() == cast.getSrcTy() ? shape : elementwise(cast);
  default:
    return elementwise(cast);
  }
}

Shape Shapes::transferGep(const GetElementPtrInst &gep) const {
  const DataLayout &layout = gep.getModule()->getDataLayout();
  Shape result = of(gep.getPointerOperand());
  if (!result.known())
    return {};
  for (auto index = gep_type_begin(gep), end = gep_type_end(gep); index != end; ++index) {
    Shape shape = of(index.getOperand());
    if (!shape.known())
      return {};
    if (index.isStruct())
      continue;
    unsigned bits = index.getOperand()->getType()->getScalarSizeInBits();
    if (bits < 64 && !shape.cannotCarry(bits)) // is extended with its sign
      shape = alike(shape);
    result = sum(result,
                 scaled(shape, static_cast<int64_t>(index.getSequentialElementStride(layout))), 1);
  }
  result.align = 0;
  return result;
}

Shape Shapes::transferPhi(const PHINode &phi) const {
  Shape result;
  const Value *same = nullptr;
  bool allSame = true;
  for (const Value *incoming : phi.incoming_values()) {
    result = meet(result, of(incoming));
    allSame &= !same || same == incoming;
    same = incoming;
  }
  if (!joins_.contains(phi.getParent()))
    return result;
  // A join of one value keeps its shape, unless the value is of a loop that lanes leave one by one.
  const auto *instruction = dyn_cast<Instruction>(same);
  bool fromLoop = false;
  if (instruction)
    for (const Loop *loop = loops_.getLoopFor(instruction->getParent()); loop;
         loop = loop->getParentLoop())
      fromLoop |= !loop->contains(phi.getParent()) && divergentLoops_.contains(loop);
  if (allSame && !fromLoop)
    return result;
  return result.known() ? varying() : Shape{};
}

Shape Shapes::transferSelect(const SelectInst &select) const {
  Shape condition = of(select.getCondition());
  Shape arms = meet(of(select.getTrueValue()), of(select.getFalseValue()));
  if (!condition.known() || !arms.known())
    return {};
  if (!condition.uniform())
    return elementwise(select);
  arms.align = 0;
  return arms;
}

/// Where the lanes may go: together, or each by itself if what they go over is long.
Shape Shapes::ofChecked(Shape pointer) const {
  constexpr int64_t Longest = 4096;
  if (!pointer.known())
    return {};
  pointer.align = 0;
  bool isRun = pointer.regular && pointer.span() >= 0 && pointer.span() <= Longest;
  return pointer.uniform() || isRun ? pointer : varying();
}

Shape Shapes::ofMbarrierChange(const CallInst &call) const {
  for (const Value *operand : call.args())
    if (!of(operand).known())
      return {};
  return arriveTogether(call, *this) ? uniform() : varying();
}

Shape Shapes::transferCall(const CallInst &call) const {
  switch (warpBehaviour(call)) {
  case WarpBehaviour::Elementwise:
    return elementwise(call);
  case WarpBehaviour::Uniform:
    return uniform();
  case WarpBehaviour::UniformInWarp:
    return uniformInWarps();
  case WarpBehaviour::UniformInWarpIfMaskIs:
    return of(memberMask(call)).constantIn(std::min(facts_.width, 32u)) ? uniformInWarps()
                                                                        : varying();
  case WarpBehaviour::ThreadIndexX:
  case WarpBehaviour::ThreadIndexY:
  case WarpBehaviour::ThreadIndexZ:
    return threadIndex(static_cast<unsigned>(warpBehaviour(call)) -
                       static_cast<unsigned>(WarpBehaviour::ThreadIndexX));
  case WarpBehaviour::LaneId:
    return facts_.width <= WarpSize ? affine(1, Log2_32(facts_.width))
                                    : normal({WarpSize, WarpSize, 1, 0, true, AlignOfZero});
  case WarpBehaviour::WarpId:
    return facts_.width <= WarpSize
               ? uniform()
               : normal({WarpSize, facts_.width, 0, 1, true, Log2_32(facts_.width / WarpSize)});
  case WarpBehaviour::PerLane: {
    if (callKind(call) == CallKind::Check || callKind(call) == CallKind::Shadow)
      return ofChecked(of(call.getArgOperand(0)));
    if (callKind(call) == CallKind::MbarrierChange)
      return ofMbarrierChange(call);
    if (callKind(call) == CallKind::Match && of(call.getArgOperand(1)).uniform() &&
        of(memberMask(call)).uniform())
      return uniformInWarps();
    const Value *from = broadcastLane(call);
    return from && of(from).constantIn(std::min(facts_.width, 32u)) ? uniformInWarps() : varying();
  }
  }
  llvm_unreachable("all behaviours handled");
}

bool hasOwnForm(const Instruction &access, const Shapes &shapes) {
  Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
  Shape shape = shapes.of(getLoadStorePointerOperand(&access));
  int64_t size = access.getDataLayout().getTypeStoreSize(type);
  return (shape.segment >= FewestInSegment && (shape.stride == size || shape.stride == 0)) ||
         type->isAggregateType() || (type->isIntegerTy() && type->getIntegerBitWidth() % 8 != 0);
}

} // namespace heddle::simt
