// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics on neighbouring elements of shared memory, as when each lane adds a point's coordinates
// to the sums of a cluster. A block runs on one core, so a lane may do all of them at once: one
// vector load, operation and store for each lane in turn, instead of a loop over the lanes for each
// element.
//
//     atomicrmw fadd %p, %x            %xyzw = interleave %x, %y, %z, %w, stored in memory
//     atomicrmw fadd %p + 4, %y        for each lane:
//     atomicrmw fadd %p + 8, %z   ->     %old = load <4 x float>, %p;
//     atomicrmw fadd %p + 12, %w         store (%old + <4 x float> of the lane), %p
#include "simt/widener.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostMembers = 32;
constexpr unsigned LargestPiece = 16;     ///< elements of one vector operation
constexpr unsigned LanesInterleaved = 32; ///< at a time
constexpr unsigned LanesAtOnce = 4;       ///< in the loop over all lanes

/// result[n * l + i] = vectors[i][l], for a power of two of vectors.
Value *interleave(IRBuilder<> &builder, SmallVector<Value *, 16> vectors) {
  while (vectors.size() > 1) {
    unsigned half = vectors.size() / 2;
    unsigned lanes = cast<FixedVectorType>(vectors[0]->getType())->getNumElements();
    SmallVector<int, 64> picks;
    for (unsigned lane = 0; lane < lanes; ++lane)
      picks.append({int(lane), int(lanes + lane)});
    SmallVector<Value *, 16> next;
    for (unsigned i = 0; i < half; ++i)
      next.push_back(builder.CreateShuffleVector(vectors[i], vectors[i + half], picks));
    vectors = next;
  }
  return vectors[0];
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
Widener::AtomicGroup Widener::findAtomicGroup(AtomicRMWInst &first) const {
  const DataLayout &layout = module_.getDataLayout();
  Type *type = first.getType();
  auto fits = [&](const AtomicRMWInst &rmw) {
    return rmw.getOperation() == first.getOperation() && rmw.getType() == type && rmw.use_empty() &&
           !rmw.isVolatile() && rmw.getOrdering() == AtomicOrdering::Monotonic;
  };
  AtomicGroup group;
  if (width_ == 1 ||
      !(type->isIntegerTy(32) || type->isFloatTy() || type->isDoubleTy() ||
        type->isIntegerTy(64)) ||
      !fits(first) || !isPlainOperation(first.getOperation()) ||
      !isShared(first.getPointerOperand()) ||
      shapes_.of(first.getPointerOperand()).segment == width_)
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

/// The values of `count` members from `first` on, lane by lane, in memory.
AllocaInst *Widener::interleaveOperands(ArrayRef<std::pair<AtomicRMWInst *, int64_t>> members) {
  Type *element = members[0].first->getType();
  auto *array = newLaneArray(FixedVectorType::get(element, width_ * members.size()));
  unsigned lanes = std::min(width_, LanesInterleaved);
  for (unsigned lane = 0; lane < width_; lane += lanes) {
    SmallVector<Value *, 16> vectors;
    for (auto [rmw, offset] : members)
      vectors.push_back(slice(builder_, vector(rmw->getValOperand()), lane, lanes));
    builder_.CreateAlignedStore(interleave(builder_, vectors),
                                builder_.CreateConstGEP1_64(element, array, lane * members.size()),
                                Align(8));
  }
  return array;
}

void Widener::emitAtomicGroup(AtomicGroup group) {
  llvm::sort(group, [](const auto &a, const auto &b) { return a.second < b.second; });
  Type *element = group[0].first->getType();
  int64_t size = module_.getDataLayout().getTypeStoreSize(element), low = group[0].second;
  AtomicRMWInst::BinOp op = group[0].first->getOperation();
  struct Piece {
    int64_t offset;
    unsigned count;
    Value *values; ///< of one member: its operand; of several: where they lie interleaved
  };
  SmallVector<Piece, 8> pieces;
  for (unsigned first = 0; first < group.size();) {
    unsigned run = 1;
    while (first + run < group.size() &&
           group[first + run].second == group[first].second + int64_t(run) * size)
      ++run;
    unsigned count = std::min(LargestPiece, 1u << Log2_32(run));
    pieces.push_back({group[first].second - low, count,
                      count == 1 ? laneOperand(group[first].first->getValOperand())
                                 : interleaveOperands(ArrayRef(group).slice(first, count))});
    first += count;
  }
  LaneAddress address = laneAddress(*group[0].first, group[0].first->getPointerOperand());
  auto one = [&](Value *lane) -> Value * {
    Value *base = addressOfLane(address, lane);
    for (const Piece &piece : pieces) {
      Value *place = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, piece.offset);
      Type *type = piece.count == 1 ? element : FixedVectorType::get(element, piece.count);
      Value *operand =
          piece.count == 1
              ? extractLane(piece.values, lane)
              : builder_.CreateAlignedLoad(
                    type,
                    builder_.CreateGEP(type, piece.values,
                                       builder_.CreateZExt(lane, builder_.getInt64Ty())),
                    Align(size));
      Value *old = builder_.CreateAlignedLoad(type, place, Align(size));
      builder_.CreateAlignedStore(buildAtomicRMWValue(op, builder_, old, operand), place,
                                  Align(size));
    }
    return nullptr;
  };
  forEachLane(nullptr, one, LanesAtOnce);
}

/// True if the atomic is one of a group: the last of them does all.
bool Widener::emitInGroup(AtomicRMWInst &rmw) {
  if (deferredAtomics_.erase(&rmw))
    return true;
  if (auto found = atomicGroups_.find(&rmw); found != atomicGroups_.end()) {
    emitAtomicGroup(found->second);
    return true;
  }
  if (!options_.isEnabled("group-atomics"))
    return false;
  AtomicGroup group = findAtomicGroup(rmw);
  if (group.size() < 2)
    return false;
  atomicGroups_[group.back().first] = group;
  for (auto [member, offset] : ArrayRef(group).drop_back())
    if (member != &rmw)
      deferredAtomics_.insert(member);
  return true;
}

} // namespace heddle::simt
