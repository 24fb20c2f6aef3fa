// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics on neighbouring elements of shared memory, as when each lane adds a point's coordinates
// to the sums of a cluster. A block runs on one core, so a lane may do all of them at once: one
// vector load, operation and store for each lane in turn, instead of a loop over the lanes for each
// element.
//
//     atomicrmw fadd %p, %x            for each lane:
//     atomicrmw fadd %p + 4, %y          %old = load <4 x float>, %p
//     atomicrmw fadd %p + 8, %z   ->     store (%old + <%x, %y, %z, %w> of the lane), %p
//     atomicrmw fadd %p + 12, %w
//
// The operands lie in memory, a vector for each member. Where all lanes are active, as many as the
// vector has elements go together: their operands are transposed in registers, a square at a time
// (`exchange.h`). Transposing all lanes before the loop takes twice the shuffles, each of which
// goes through memory, for there are more operands than registers. Where some lanes are idle, a
// lane's operands are loaded one by one.
//
// Legality (vectorize-atomics):
//  1. The atomics are on shared memory: one core runs the block. [shared]
//  2. The old values are not used. [old values]
//  3. All are the same operation on numbers of one type, whose order does not matter.
//     [one operation]
//  4. They are unordered and not volatile. [unordered]
//  5. Their places are at constant distances. [known distance]
//  6. Nothing between them accesses memory. [nothing between]
#include "simt/widen/atomics/atomic_groups.h"

#include "simt/vector/exchange.h"
#include "simt/widen/memory/shared_registers.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostMembers = 32;
constexpr unsigned LargestPiece = 16; ///< elements of one vector operation
constexpr unsigned LanesAtOnce = 4;   ///< at least, in the loop over all lanes

/// result[l][i] = vectors[i][l], of a power of two of vectors with as many elements.
SmallVector<Value *, 16> transpose(IRBuilder<> &builder, ArrayRef<Value *> vectors) {
  unsigned count = vectors.size();
  std::vector<SmallVector<Spot, 16>> wanted(count);
  for (auto [lane, spots] : enumerate(wanted))
    for (Value *vector : vectors)
      spots.push_back({vector, unsigned(lane)});
  std::vector<Value *> lanes = exchangeLanes(builder, wanted);
  SmallVector<Value *, 16> result(lanes.begin(), lanes.end());
  for (int lane = 0; result.size() < count; ++lane) { // two vectors
    assert(count == 2);
    result.push_back(
        builder.CreateShuffleVector(vectors[0], vectors[1], ArrayRef<int>{lane, 2 + lane}));
  }
  return result;
}

/// What elements of several lanes can be combined by.
bool isPlainOperation(AtomicRMWInst::BinOp op) {
  return is_contained({AtomicRMWInst::Add, AtomicRMWInst::Sub, AtomicRMWInst::And,
                       AtomicRMWInst::Or, AtomicRMWInst::Xor, AtomicRMWInst::Max,
                       AtomicRMWInst::Min, AtomicRMWInst::UMax, AtomicRMWInst::UMin,
                       AtomicRMWInst::FAdd, AtomicRMWInst::FSub},
                      op);
}

} // namespace

/// The atomic and those after it in its block that can be done together with it, by offset.
AtomicGroups::Group AtomicGroups::findGroup(AtomicRMWInst &first) const {
  const DataLayout &layout = e_.module.getDataLayout();
  Type *type = first.getType();
  auto fits = [&](const AtomicRMWInst &rmw) {
    return rmw.getOperation() == first.getOperation() && rmw.getType() == type && rmw.use_empty() &&
           !rmw.isVolatile() && rmw.getOrdering() == AtomicOrdering::Monotonic;
  };
  Group group;
  if (e_.width == 1 ||
      !(type->isIntegerTy(32) || type->isFloatTy() || type->isDoubleTy() ||
        type->isIntegerTy(64)) ||
      !fits(first) || !isPlainOperation(first.getOperation()) ||
      !isShared(e_, first.getPointerOperand()) ||
      e_.shapes.of(first.getPointerOperand()).segment == e_.width)
    return group;
  Value *root = nullptr;
  for (Instruction *next = &first; !next->isTerminator() && group.size() < MostMembers;
       next = next->getNextNode()) {
    auto *rmw = dyn_cast<AtomicRMWInst>(next);
    if (!rmw) {
      if (next->mayReadOrWriteMemory())
        break;
      continue;
    }
    APInt offset(64, 0);
    Value *base = rmw->getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    if (!root)
      root = base;
    if (base != root || !fits(*rmw))
      break;
    group.push_back({rmw, offset.getSExtValue()});
  }
  return group;
}

/// Neighbours among a group's members, which one vector operation takes.
struct AtomicGroups::Piece {
  int64_t offset;                    ///< from the group's first member
  SmallVector<Value *, 16> operands; ///< of the members: vectors, or scalars for all lanes

  Type *type() const {
    Type *element = operands[0]->getType()->getScalarType();
    return operands.size() == 1 ? element : FixedVectorType::get(element, operands.size());
  }
};

SmallVector<AtomicGroups::Piece, 8> AtomicGroups::piecesOf(const Group &group) {
  int64_t size = e_.sizeOf(group[0].first->getType());
  unsigned most =
      std::min(LargestPiece, e_.width & -e_.width); // a power of two that divides the width
  SmallVector<Piece, 8> pieces;
  for (unsigned first = 0, run = 1; first < group.size(); first += run) {
    for (run = 1; first + run < group.size() &&
                  group[first + run].second == group[first].second + int64_t(run) * size;)
      ++run;
    run = std::min(most, 1u << Log2_32(run));
    pieces.push_back({group[first].second - group[0].second, {}});
    for (auto [rmw, offset] : ArrayRef(group).slice(first, run))
      pieces.back().operands.push_back(values_.laneOperand(rmw->getValOperand()));
  }
  return pieces;
}

/// A lane's operands.
Value *AtomicGroups::operandsOfLane(const Piece &piece, Value *lane) {
  if (piece.operands.size() == 1)
    return arrays_.extractLane(piece.operands[0], lane);
  Value *result = PoisonValue::get(piece.type());
  for (auto [i, operand] : enumerate(piece.operands))
    result = builder_.CreateInsertElement(result, arrays_.extractLane(operand, lane), i);
  return result;
}

/// The operands of lanes from `first` on, as many as the piece has members.
SmallVector<Value *, 16> AtomicGroups::operandsOfSquare(const Piece &piece, Value *first) {
  if (piece.operands.size() == 1)
    return {arrays_.extractLane(piece.operands[0], first)};
  SmallVector<Value *, 16> vectors;
  for (Value *operand : piece.operands) {
    AllocaInst *array = operand->getType()->isVectorTy() ? arrays_.inMemory(operand) : nullptr;
    vectors.push_back(
        array ? builder_.CreateAlignedLoad(
                    piece.type(),
                    arrays_.elementAddress(array, operand->getType()->getScalarType(), first),
                    e_.module.getDataLayout().getABITypeAlign(operand->getType()->getScalarType()))
              : builder_.CreateVectorSplat(piece.operands.size(), operand));
  }
  return transpose(builder_, vectors);
}

void AtomicGroups::emitGroup(Group group) {
  llvm::sort(group, [](const auto &a, const auto &b) { return a.second < b.second; });
  Align align(e_.sizeOf(group[0].first->getType()));
  AtomicRMWInst::BinOp op = group[0].first->getOperation();
  SmallVector<Piece, 8> pieces = piecesOf(group);
  LaneAddress address = lanes_.laneAddress(group[0].first->getPointerOperand());
  auto modify = [&](Value *base, const Piece &piece, Value *operands) {
    Value *place = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, piece.offset);
    Value *old = builder_.CreateAlignedLoad(piece.type(), place, align);
    builder_.CreateAlignedStore(buildAtomicRMWValue(op, builder_, old, operands), place, align);
  };
  auto one = [&](Value *lane) -> Value * {
    Value *base = lanes_.addressOfLane(address, lane);
    for (const Piece &piece : pieces)
      modify(base, piece, operandsOfLane(piece, lane));
    return nullptr;
  };
  unsigned step = std::min(LanesAtOnce, e_.width & -e_.width);
  for (const Piece &piece : pieces)
    step = std::max<unsigned>(step, piece.operands.size());
  auto several = [&](Value *first) {
    auto at = [&](unsigned i) {
      return i == 0 ? first : builder_.CreateAdd(first, builder_.getInt32(i), "", true, true);
    };
    SmallVector<SmallVector<Value *, 16>, 8> operands(pieces.size());
    for (auto [piece, ofPiece] : zip(pieces, operands))
      for (unsigned i = 0; i < step; i += piece.operands.size())
        ofPiece.append(operandsOfSquare(piece, at(i)));
    for (unsigned i = 0; i < step; ++i) {
      Value *base = lanes_.addressOfLane(address, at(i));
      for (auto [piece, ofPiece] : zip(pieces, operands))
        modify(base, piece, ofPiece[i]);
    }
  };
  loops_.forEachLane(one, several, step);
}

bool AtomicGroups::emit(AtomicRMWInst &rmw) {
  if (doneTogether_.erase(&rmw))
    return true;
  if (auto found = groups_.find(&rmw); found != groups_.end()) {
    emitGroup(found->second);
    return true;
  }
  if (!e_.options.isEnabled("vectorize-atomics"))
    return false;
  Group group = findGroup(rmw);
  if (group.size() < 2)
    return false;
  groups_[group.back().first] = group;
  for (auto [member, offset] : ArrayRef(group).drop_back())
    if (member != &rmw)
      doneTogether_.insert(member);
  return true;
}

} // namespace heddle::simt
