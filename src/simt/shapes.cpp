// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed point. All values start at the top (unknown, which stands for "as good as you like");
// one sweep in block order evaluates every transfer function and meets the result with what was
// there, and sweeps go on until nothing changes. Shapes only fall, a block becomes a join and a
// branch divergent only once, so this ends; most kernels need two or three sweeps.
#include "simt/shapes.h"

#include "simt/intrinsics.h"
#include "simt/lower_device.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

bool Shape::cannotCarry(unsigned bits) const {
  if (stride < 0)
    return false;
  uint64_t span = static_cast<uint64_t>(stride) * (segment - 1);
  return align < 63 ? align < bits && span < (uint64_t(1) << align) : span < (1u << 30);
}

Shapes::Shapes(const BlockOrder &order, LoopInfo &loops, PostDominatorTree &postDominators,
               const LaneFacts &facts, bool argumentsVary)
    : order_(order), loops_(loops), postDominators_(postDominators), facts_(facts),
      argumentsVary_(argumentsVary) {
  solve();
}

Shape Shapes::of(const Value *value) const {
  if (const auto *constant = dyn_cast<ConstantInt>(value))
    return uniform(constant->isZero() ? 63 : constant->getValue().countr_zero());
  if (isa<Constant>(value) || isa<BasicBlock>(value) || isa<MetadataAsValue>(value) ||
      isa<InlineAsm>(value))
    return uniform();
  if (const auto *argument = dyn_cast<Argument>(value))
    return argumentsVary_ && argument->getArgNo() >= ContextParams ? normal(varying()) : uniform();
  return shapes_.lookup(value);
}

bool Shapes::isDivergent(const BasicBlock *block) const { return divergent_.contains(block); }

void Shapes::solve() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : order_.blocks) {
      for (Instruction &instruction : *block) {
        Shape old = of(&instruction);
        Shape now = meet(old, normal(transfer(instruction)));
        if (now == old)
          continue;
        shapes_[&instruction] = now;
        changed = true;
      }
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || divergent_.contains(block))
        continue;
      Shape condition = of(branch->getCondition());
      if (!condition.known() || condition.constantIn(facts_.width))
        continue;
      divergent_.insert(block);
      markJoins(block);
      changed = true;
    }
  }
}

/// Follows the ways that lanes take from a divergent branch, in block order. Each block on a way
/// carries the label of the way; where two labels meet is a join, and a way of its own from there
/// on. The ways end at the branch's immediate postdominator.
void Shapes::markJoins(const BasicBlock *branch) {
  const DomTreeNode *node = postDominators_.getNode(branch);
  const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  DenseMap<const BasicBlock *, unsigned>
      labels; // the branch's ways: 0, 1; the way that starts at a join: 2 + its index
  auto ownLabel = [&](const BasicBlock *block) { return 2 + order_.index(block); };
  auto reach = [&](const BasicBlock *block, unsigned label) {
    auto [entry, fresh] = labels.try_emplace(block, label);
    if (fresh || entry->second == label || entry->second == ownLabel(block))
      return;
    entry->second = ownLabel(block);
    joins_.insert(block);
  };
  // The loops that some lanes may leave while others go on.
  for (const Loop *loop = loops_.getLoopFor(branch); loop && !(end && loop->contains(end));
       loop = loop->getParentLoop()) {
    divergentLoops_.insert(loop);
    SmallVector<BasicBlock *, 4> exits;
    loop->getExitBlocks(exits);
    for (BasicBlock *exit : exits) {
      joins_.insert(exit);
      labels[exit] = ownLabel(exit);
    }
  }
  for (auto [way, successor] : enumerate(successors(branch)))
    reach(successor, way);
  for (unsigned i = order_.index(branch) + 1; i < order_.blocks.size(); ++i) {
    const BasicBlock *block = order_.blocks[i];
    auto label = labels.find(block);
    if (label == labels.end() || block == end)
      continue;
    unsigned way = label->second;
    for (const BasicBlock *successor : successors(block))
      if (order_.index(successor) > i)
        reach(successor, way);
  }
}

Shape Shapes::normal(Shape shape) const {
  if (facts_.width == 1)
    return {1, 0, shape.align};
  if (shape.segment <= 1) // nothing known: one representation
    return {shape.segment, 0, 0};
  return shape;
}

Shape Shapes::meet(Shape a, Shape b) const {
  if (!a.known())
    return b;
  if (!b.known())
    return a;
  Shape result = {std::min(a.segment, b.segment), a.stride, std::min(a.align, b.align)};
  if (a.stride != b.stride)
    result = varying();
  return normal(result);
}

Shape Shapes::elementwise(const User &user) const {
  unsigned segment = facts_.width;
  for (const Value *operand : user.operands()) {
    Shape shape = of(operand);
    if (!shape.known())
      return {};
    segment = shape.stride == 0 ? std::min(segment, shape.segment) : 1;
    if (segment == 1)
      break;
  }
  return varying(segment);
}

/// threadIdx.x, y, z: lane `l` of warp `w` is thread t = w * width + l of the block, in x, then y,
/// then z.
Shape Shapes::threadIndex(unsigned dimension) const {
  unsigned width = facts_.width;
  unsigned inner = 1; // threads per step of this dimension
  for (unsigned d = 0; d < dimension; ++d)
    inner *= facts_.blockDim[d];
  unsigned count = facts_.blockDim[dimension];
  if (count == 1)
    return uniform(63);
  if (inner == 1) { // t % count
    bool last = facts_.blockDim[1] == 1 && facts_.blockDim[2] == 1;
    if (last || count % width == 0)
      return {width, 1, Log2_32(width)};
    if (width % count == 0 && isPowerOf2_32(count))
      return {count, 1, 63};
    return varying();
  }
  // (t / inner) % count: constant over runs of `inner` threads
  unsigned run = std::min(width, 1u << countr_zero(inner));
  return varying(run);
}

Shape Shapes::transfer(const Instruction &instruction) const {
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return transferBinary(*binary);
  if (const auto *cast = dyn_cast<CastInst>(&instruction))
    return transferCast(*cast);
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
  if (const auto *alloca = dyn_cast<AllocaInst>(&instruction)) {
    const DataLayout &layout = instruction.getModule()->getDataLayout();
    auto size = alloca->getAllocationSize(layout);
    return {facts_.width, static_cast<int64_t>(size->getFixedValue()), 0};
  }
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return varying();
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return elementwise(*load);
  return elementwise(instruction);
}

Shape Shapes::transferBinary(const BinaryOperator &op) const {
  Shape a = of(op.getOperand(0)), b = of(op.getOperand(1));
  if (!a.known() || !b.known())
    return {};
  unsigned segment = std::min(a.segment, b.segment);
  unsigned opcode = op.getOpcode();
  bool disjointOr = opcode == Instruction::Or && cast<PossiblyDisjointInst>(op).isDisjoint();
  const auto *constant = dyn_cast<ConstantInt>(op.getOperand(1));
  Shape result;
  switch (opcode) {
  case Instruction::Or:
    if (!disjointOr)
      return elementwise(op);
    [[fallthrough]];
  case Instruction::Add:
    result = {segment, a.stride + b.stride, std::min(a.align, b.align)};
    break;
  case Instruction::Sub:
    result = {segment, a.stride - b.stride, std::min(a.align, b.align)};
    break;
  case Instruction::Mul:
  case Instruction::Shl: {
    bool shift = opcode == Instruction::Shl;
    if (constant && constant->getValue().getSignificantBits() <= 31 &&
        (!shift || constant->getZExtValue() < 31)) {
      int64_t factor = shift ? int64_t(1) << constant->getZExtValue() : constant->getSExtValue();
      unsigned zeros = factor == 0 ? 63 : countr_zero(static_cast<uint64_t>(factor));
      result = {segment, a.stride * factor, std::min(63u, a.align + zeros)};
      break;
    }
    if (a.stride != 0 || b.stride != 0)
      return varying();
    return {segment, 0, shift ? a.align : std::min(63u, a.align + b.align)};
  }
  case Instruction::LShr: // x / 2^c: constant over runs of 2^c values
    if (constant && a.stride == 1) {
      unsigned shift = constant->getZExtValue();
      unsigned run = shift >= Log2_32(a.segment) ? a.segment : 1u << shift;
      if (a.align >= Log2_32(run))
        return {run, 0, a.align > shift ? a.align - shift : 0};
    }
    return elementwise(op);
  case Instruction::And: // x % 2^c
    if (constant && a.stride == 1 && (constant->getValue() + 1).isPowerOf2()) {
      unsigned bits = constant->getValue().countr_one();
      unsigned run = bits >= Log2_32(a.segment) ? a.segment : 1u << bits;
      if (a.align >= Log2_32(run))
        return {run, 1, a.align >= bits ? 63 : a.align};
    }
    return elementwise(op);
  default:
    return elementwise(op);
  }
  return result;
}

/// Every use of the value is part of the computation of an address.
static bool feedsAddressesOnly(const Value *value, unsigned depth = 0) {
  return depth < 8 &&
         all_of(
             value->users(),
             [&](const User *user) {
               if (const auto *gep = dyn_cast<GetElementPtrInst>(user))
                 return gep->getPointerOperand() != value;
               const auto *binary = dyn_cast<BinaryOperator>(user);
               return binary &&
                      is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul,
                                    Instruction::Shl, Instruction::Or},
                                   binary->getOpcode()) &&
                      feedsAddressesOnly(user, depth + 1);
             });
}

/// An extension keeps the shape if no lane can wrap around. It also does, for an index of 32 bits
/// or more that only addresses are made of, where this cannot be shown: lanes on both sides of the
/// wrap would be 2^32 elements apart, and of these only the lanes on one side can be active (i - 1
/// in the guarded first lane). See Widener::emitExtension for the other side.
Shape Shapes::extension(const CastInst &cast, Shape shape) const {
  unsigned bits = cast.getSrcTy()->getScalarSizeInBits();
  bool small = std::abs(shape.stride) < (1 << 20);
  if (shape.cannotCarry(bits) || (bits >= 32 && small && feedsAddressesOnly(&cast)))
    return shape;
  return varying();
}

Shape Shapes::transferCast(const CastInst &cast) const {
  Shape shape = of(cast.getOperand(0));
  if (!shape.known() || shape.stride == 0) {
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
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    if (cast.getType()->getScalarSizeInBits() < 64 && !cast.getType()->isPtrOrPtrVectorTy())
      return varying();
    [[fallthrough]];
  case Instruction::AddrSpaceCast:
    return {shape.segment, shape.stride, 0};
  case Instruction::BitCast:
    return cast.getType() == cast.getSrcTy() ? shape : varying();
  default:
    return varying();
  }
}

Shape Shapes::transferGep(const GetElementPtrInst &gep) const {
  const DataLayout &layout = gep.getModule()->getDataLayout();
  Shape result = of(gep.getPointerOperand());
  if (!result.known())
    return {};
  result.align = 0;
  for (auto index = gep_type_begin(gep), end = gep_type_end(gep); index != end; ++index) {
    Shape shape = of(index.getOperand());
    if (!shape.known())
      return {};
    if (index.isStruct())
      continue;
    result.segment = std::min(result.segment, shape.segment);
    result.stride += shape.stride * static_cast<int64_t>(index.getSequentialElementStride(layout));
  }
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
  if (condition.constantIn(facts_.width))
    return {arms.segment, arms.stride, 0};
  return elementwise(select);
}

Shape Shapes::transferCall(const CallInst &call) const {
  switch (warpBehaviour(call)) {
  case WarpBehaviour::Elementwise:
    return elementwise(call);
  case WarpBehaviour::Uniform:
    return uniform();
  case WarpBehaviour::UniformIfMaskIs:
    return isUniform(memberMask(call)) ? uniform() : varying();
  case WarpBehaviour::ThreadIndexX:
  case WarpBehaviour::ThreadIndexY:
  case WarpBehaviour::ThreadIndexZ:
    return threadIndex(static_cast<unsigned>(warpBehaviour(call)) -
                       static_cast<unsigned>(WarpBehaviour::ThreadIndexX));
  case WarpBehaviour::LaneId:
    return {facts_.width, 1, 63};
  case WarpBehaviour::PerLane:
    return varying();
  }
  llvm_unreachable("all behaviours handled");
}

} // namespace heddle::simt
