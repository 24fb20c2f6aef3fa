// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/pieces.h"

#include "llvm/IR/Constants.h"

#include <numeric>

using namespace llvm;

namespace heddle::simt {

bool Pieces::Source::inPlace() const {
  return all_of(enumerate(picks),
                [](auto pick) { return pick.value() < 0 || pick.value() == int(pick.index()); });
}

void Pieces::define(Instruction &vector, ArrayRef<unsigned> lanes, Value *piece) {
  auto &spots = spots_[&vector];
  spots.resize(lanesOf(vector.getType()));
  for (auto [index, lane] : enumerate(lanes))
    spots[lane] = {piece, unsigned(index)};
}

Spot Pieces::spotOf(const Lane &lane) const {
  auto found = spots_.find(lane.value);
  if (found != spots_.end())
    return found->second[lane.number];
  return originals_.contains(lane.value) ? Spot() : Spot{lane.value, lane.number};
}

unsigned Pieces::shuffles(ArrayRef<Lane> lanes) const {
  SmallVector<Value *, 8> sources;
  bool inPlace = true, constants = false;
  for (auto [index, lane] : enumerate(lanes)) {
    if (!lane.value)
      continue;
    if (isa<Constant>(lane.value)) {
      constants = true;
      continue;
    }
    Spot spot =
        lane.value->getType()->isVectorTy() ? spotOf(lane) : Spot{lane.value, unsigned(index)};
    if (!spot.piece)
      continue;
    inPlace &= spot.index == index;
    if (!is_contained(sources, spot.piece))
      sources.push_back(spot.piece);
  }
  unsigned count = sources.size() + (constants && !sources.empty());
  return count == 1 && inPlace ? 0 : count <= 1 ? count : count - 1;
}

Value *Pieces::assemble(ArrayRef<Lane> lanes, Type *element) {
  Value *&known = known_[{std::vector<Lane>(lanes.begin(), lanes.end()), element}];
  if (!known)
    known = build(lanes, element);
  return known;
}

std::vector<Value *> Pieces::registersOf(ArrayRef<Lane> lanes, Type *element) const {
  std::vector<Value *> registers;
  if (known_.count({std::vector<Lane>(lanes.begin(), lanes.end()), element}))
    return {};
  for (const Lane &lane : lanes) {
    if (!lane.value)
      continue;
    Spot spot =
        lane.value->getType()->isVectorTy() && !isa<Constant>(lane.value) ? spotOf(lane) : Spot();
    if (!spot.piece || lanesOf(spot.piece->getType()) != lanes.size())
      return {};
    if (!is_contained(registers, spot.piece))
      registers.push_back(spot.piece);
  }
  return registers;
}

void Pieces::assembleAll(ArrayRef<std::vector<Lane>> all, Type *element) {
  SmallVector<SmallVector<Spot, 16>, 16> wanted;
  for (const std::vector<Lane> &lanes : all) {
    SmallVector<Spot, 16> &spots = wanted.emplace_back();
    for (const Lane &lane : lanes)
      spots.push_back(lane.value ? spotOf(lane) : Spot());
  }
  for (auto [value, lanes] : zip(exchangeLanes(builder_, wanted), all))
    known_[{lanes, element}] = value;
}

Value *Pieces::extract(const Lane &lane) {
  if (!lane.value || !lane.value->getType()->isVectorTy())
    return lane.value;
  Spot spot = spotOf(lane);
  return spot.piece ? builder_.CreateExtractElement(spot.piece, uint64_t(spot.index)) : nullptr;
}

/// Two sources in one, in place.
Pieces::Source Pieces::join(Source first, Source second) {
  unsigned length = std::max(lanesOf(first.vector->getType()), lanesOf(second.vector->getType()));
  for (Source *source : {&first, &second})
    if (unsigned now = lanesOf(source->vector->getType()); now < length) {
      SmallVector<int, 16> longer(length, PoisonMaskElem);
      std::iota(longer.begin(), longer.begin() + now, 0);
      source->vector = builder_.CreateShuffleVector(source->vector, longer);
    }
  SmallVector<int, 16> picks, places;
  for (auto [i, pick] : enumerate(first.picks)) {
    int other = second.picks[i];
    picks.push_back(other >= 0 ? other + int(length) : pick);
    places.push_back(picks.back() >= 0 ? int(i) : PoisonMaskElem);
  }
  return {builder_.CreateShuffleVector(first.vector, second.vector, picks), places};
}

Value *Pieces::build(ArrayRef<Lane> lanes, Type *element) {
  unsigned count = lanes.size();
  SmallVector<Source, 4> sources;
  auto sourceOf = [&](Value *vector) -> Source & {
    for (Source &source : sources)
      if (source.vector == vector)
        return source;
    return sources.emplace_back(Source{vector, SmallVector<int, 16>(count, PoisonMaskElem)});
  };
  SmallVector<Constant *, 16> constants(count, PoisonValue::get(element));
  SmallVector<int, 16> places(count, PoisonMaskElem);
  SmallVector<std::pair<Value *, unsigned>, 4> scalars;
  for (auto [index, lane] : enumerate(lanes)) {
    if (!lane.value)
      continue;
    if (lane.value->getType()->isVectorTy()) {
      if (Spot spot = spotOf(lane); spot.piece)
        sourceOf(spot.piece).picks[index] = spot.index;
    } else if (auto *constant = dyn_cast<Constant>(lane.value)) {
      constants[index] = constant;
      places[index] = index;
    } else {
      scalars.push_back({lane.value, unsigned(index)});
    }
  }
  bool hasConstants = any_of(places, [](int place) { return place >= 0; });
  if (!scalars.empty() && sources.empty() && !hasConstants &&
      all_of(scalars, [&](auto &scalar) { return scalar.first == scalars[0].first; }))
    return builder_.CreateVectorSplat(count, scalars[0].first);
  if (hasConstants || sources.empty())
    sources.push_back({ConstantVector::get(constants), places});
  while (sources.size() > 1) {
    Source second = sources.pop_back_val(), first = sources.pop_back_val();
    sources.push_back(join(first, second));
  }
  Value *result = sources[0].vector;
  if (lanesOf(result->getType()) != count || !sources[0].inPlace())
    result = builder_.CreateShuffleVector(result, sources[0].picks);
  for (auto [scalar, index] : scalars)
    result = builder_.CreateInsertElement(result, scalar, uint64_t(index));
  return result;
}

} // namespace heddle::simt
