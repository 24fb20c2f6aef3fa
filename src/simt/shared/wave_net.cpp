// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. The lanes of a diagonal of a tile lie in as many rows, each where it is wanted: lane x
// of the row of x less. One by one that is 31 blends a diagonal.
//
// Method. Neighbouring diagonals share what blends by the bits of the lanes' numbers give: first
// the upper half of the lanes is taken from the row that is half as many before, then of each half
// the upper half from what that gave a quarter before, and last the lanes with an odd number from
// what that gave one row before. A blend of two vectors by one bit is made once, whoever wants it,
// so that a diagonal takes five more.
//
//     row d     a0 a1 a2 a3      a0 a1 c2 c3  (rows d, d - 2)
//     row d - 1 b0 b1 b2 b3  ->                                ->  a0 b1 c2 d3
//     row d - 2 c0 c1 c2 c3      b0 b1 d2 d3  (rows d - 1, d - 3)
//     row d - 3 d0 d1 d2 d3
//
// In this order what waits for half of the steps are rows that lie in memory, or halves that are
// registers of their own, and what was put together is wanted soon. With the odd lanes first, which
// gives the same number of blends, more of these went to the stack and back: needle took 1.05 times
// as long, with AVX2 1.07.
//
// Lanes that lie elsewhere are moved before, unless an earlier vector of the net has them in place.
#include "simt/shared/wave_net.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::simt {

WaveNet::WaveNet(Value &shared, Type *element, unsigned lanes, int64_t bytes)
    : shared_(shared), element_(element), lanes_(lanes), bytes_(bytes),
      size_(cast<Instruction>(shared).getDataLayout().getTypeStoreSize(element)) {}

unsigned WaveNet::value(Value *value) {
  auto [known, isNew] = values_.try_emplace(value, nodes_.size());
  if (isNew)
    nodes_.push_back({Kind::Value, value});
  return known->second;
}

unsigned WaveNet::row(int64_t place) {
  auto [known, isNew] = rows_.try_emplace(place, nodes_.size());
  if (isNew) {
    nodes_.push_back({Kind::Row, nullptr, place});
    ++steps_;
  }
  return known->second;
}

unsigned WaveNet::shuffle(unsigned first, unsigned second, SmallVector<int, 32> picks) {
  nodes_.push_back({Kind::Shuffle, nullptr, 0, first, second, std::move(picks)});
  ++steps_;
  return nodes_.size() - 1;
}

void WaveNet::noteSources(const Lanes &lanes, SmallVectorImpl<unsigned> &sources) {
  for (const NetLane &lane : lanes)
    if (lane.node != NetLane::Nothing && !is_contained(sources, lane.node))
      sources.push_back(lane.node);
}

unsigned WaveNet::make(SmallVector<NetLane, 32> wanted) {
  wanted.resize(lanes_);
  const Lanes origins = wanted;
  takeFromBefore(wanted);
  SmallVector<unsigned, 8> sources;
  noteSources(wanted, sources);
  if (sources.empty())
    return NetLane::Nothing;
  bool inPlace =
      all_of(enumerate(wanted), [&](auto lane) { return isInPlace(lane.value(), lane.index()); });
  unsigned made;
  if (!inPlace && sources.size() <= 2) {
    SmallVector<int, 32> picks;
    for (const NetLane &lane : wanted)
      picks.push_back(lane.node == NetLane::Nothing
                          ? -1
                          : int(lane.lane + (lane.node == sources[0] ? 0 : lanes_)));
    made = shuffle(sources[0], sources.back(), picks);
  } else {
    moveIntoPlace(wanted);
    made = blendInPlace(wanted);
  }
  for (auto [place, lane] : enumerate(origins))
    if (!isInPlace(lane, place))
      moved_[{lane.node, lane.lane, place}] = made;
  return made;
}

/// Lanes that lie elsewhere are taken from the earlier vector that has most of them in place.
void WaveNet::takeFromBefore(Lanes &wanted) const {
  std::map<unsigned, unsigned> votes;
  auto holder = [&](unsigned place) {
    const NetLane &lane = wanted[place];
    auto found = isInPlace(lane, place) ? moved_.end() : moved_.find({lane.node, lane.lane, place});
    return found == moved_.end() ? NetLane::Nothing : found->second;
  };
  for (unsigned place = 0; place < lanes_; ++place)
    if (unsigned node = holder(place); node != NetLane::Nothing)
      ++votes[node];
  if (votes.empty())
    return;
  unsigned best = max_element(votes, [](auto &a, auto &b) { return a.second < b.second; })->first;
  for (unsigned place = 0; place < lanes_; ++place)
    if (holder(place) == best)
      wanted[place] = {best, place};
}

/// Vectors that do not have their lanes in place are shuffled, two at once.
void WaveNet::moveIntoPlace(Lanes &wanted) {
  SmallVector<unsigned, 8> elsewhere;
  for (auto [place, lane] : enumerate(wanted))
    if (!isInPlace(lane, place) && !is_contained(elsewhere, lane.node))
      elsewhere.push_back(lane.node);
  for (unsigned i = 0; i < elsewhere.size(); i += 2) {
    unsigned first = elsewhere[i], second = i + 1 < elsewhere.size() ? elsewhere[i + 1] : first;
    SmallVector<int, 32> picks(lanes_, -1);
    for (unsigned place = 0; place < lanes_; ++place)
      if (wanted[place].node == first)
        picks[place] = wanted[place].lane;
      else if (wanted[place].node == second)
        picks[place] = lanes_ + wanted[place].lane;
    unsigned moved = shuffle(first, second, picks);
    for (unsigned place = 0; place < lanes_; ++place)
      if (picks[place] >= 0)
        wanted[place] = {moved, place};
  }
}

/// What gives, in place, the lanes whose numbers have the same lowest bits as `first`, so many.
unsigned WaveNet::blendByBits(const Lanes &wanted, unsigned first, unsigned bit) {
  if (1u << bit >= lanes_)
    return first < lanes_ ? wanted[first].node : NetLane::Nothing;
  unsigned low = blendByBits(wanted, first, bit + 1),
           high = blendByBits(wanted, first + (1u << bit), bit + 1);
  if (low == NetLane::Nothing || low == high)
    return high;
  if (high == NetLane::Nothing)
    return low;
  auto [known, isNew] = blends_.try_emplace({bit, low, high}, nodes_.size());
  if (isNew) {
    SmallVector<int, 32> picks;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      picks.push_back(lane >> bit & 1 ? lanes_ + lane : lane);
    shuffle(low, high, picks);
  }
  return known->second;
}

void WaveNet::forgetFrom(unsigned node) {
  steps_ -= nodes_.size() - node; // all are shuffles
  nodes_.resize(node);
  for (auto blend = blends_.begin(); blend != blends_.end();)
    blend = blend->second >= node ? blends_.erase(blend) : std::next(blend);
}

unsigned WaveNet::blendOneByOne(const Lanes &wanted, ArrayRef<unsigned> sources) {
  unsigned made = sources[0];
  for (unsigned source : sources.drop_front()) {
    SmallVector<int, 32> picks;
    for (auto [place, lane] : enumerate(wanted))
      picks.push_back(lane.node == source ? lanes_ + place : place);
    made = shuffle(made, source, picks);
  }
  return made;
}

unsigned WaveNet::blendInPlace(const Lanes &wanted) {
  SmallVector<unsigned, 8> sources;
  noteSources(wanted, sources);
  if (sources.size() == 1)
    return sources[0];
  unsigned before = nodes_.size();
  unsigned made = blendByBits(wanted, 0, 0);
  if (nodes_.size() - before <= sources.size() - 1)
    return made;
  forgetFrom(before);
  return blendOneByOne(wanted, sources);
}

/// Lanes beyond what may be read are left out.
Value *WaveNet::emitRow(IRBuilder<> &builder, int64_t place) {
  auto *type = FixedVectorType::get(element_, lanes_);
  Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), &shared_, place);
  Align align = commonAlignment(Align(size_), place);
  SmallVector<Constant *, 32> mask;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    mask.push_back(
        builder.getInt1(place + lane * size_ >= 0 && place + (lane + 1) * size_ <= bytes_));
  if (all_of(mask, [](Constant *bit) { return bit->isOneValue(); }))
    return builder.CreateAlignedLoad(type, address, align);
  return builder.CreateMaskedLoad(type, address, align, ConstantVector::get(mask));
}

Value *WaveNet::emit(IRBuilder<> &builder, unsigned number) {
  if (nodes_[number].emitted)
    return nodes_[number].emitted;
  const Node &node = nodes_[number];
  Value *result = node.given;
  if (node.kind == Kind::Row) {
    result = emitRow(builder, node.place);
  } else if (node.kind == Kind::Shuffle) {
    Value *first = emit(builder, node.first), *second = emit(builder, node.second);
    result = builder.CreateShuffleVector(first, second, node.picks);
  } else if (!result->getType()->isVectorTy()) {
    result = builder.CreateInsertElement(PoisonValue::get(FixedVectorType::get(element_, lanes_)),
                                         result, uint64_t(0));
  } else if (auto *type = cast<FixedVectorType>(result->getType());
             type->getNumElements() < lanes_) {
    SmallVector<int, 32> picks(lanes_, -1);
    std::iota(picks.begin(), picks.begin() + type->getNumElements(), 0);
    result = builder.CreateShuffleVector(result, picks);
  }
  nodes_[number].emitted = result;
  return result;
}

Value *WaveNet::emitAs(IRBuilder<> &builder, unsigned node, Type *type) {
  if (node == NetLane::Nothing)
    return PoisonValue::get(type);
  Value *all = emit(builder, node);
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return builder.CreateExtractElement(all, uint64_t(0));
  if (vector->getNumElements() == lanes_)
    return all;
  SmallVector<int, 32> picks(vector->getNumElements());
  std::iota(picks.begin(), picks.end(), 0);
  return builder.CreateShuffleVector(all, picks);
}

} // namespace heddle::simt
