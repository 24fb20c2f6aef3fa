// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method. Wanted registers whose lanes lie in the same registers are a group. The group's registers
// are taken in pairs. What a wanted register needs of a pair goes into one new register, and with
// it what others need of that pair, as many as fit: where each needs two lanes of a pair of 16,
// eight share a register. The wanted ones then lie in half as many registers each, and those that
// still have all of these in common are a group of their own. Two registers left are put together
// lane by lane, in the wanted order.
//
// New registers are taken, where it is possible, from shuffles that processors have instructions
// for (`interleaved`): neighbours from both within 128 bits, then 128 bits of both, then halves.
// Others hold the lanes in the order in which they are wanted.
//
// The net is planned with numbers for registers, and written only if it has fewer shuffles.
//
// A square of 16x16 lanes (a tile that is read by columns) is transposed so by 64 shuffles, and not
// by 15 for each of 16 registers.
//
// Legality (shuffle-network): none: each wanted register gets its lanes, by whatever shuffles.
#include "simt/vector/exchange.h"

#include <map>
#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned Nothing = ~0u;
using Picks = SmallVector<int, 16>; ///< of a shuffle of two registers; -1: anything

struct Step {
  unsigned first, second; ///< Nothing: there is no second
  Picks picks;
};

/// One wanted register: where its lanes lie by now.
struct Wanted {
  SmallVector<std::pair<unsigned, unsigned>, 16> lanes; ///< register and index; Nothing: any
  unsigned result = Nothing;
};

class Net {
public:
  Net(unsigned sources, unsigned width, unsigned lanesOf128)
      : width_(width), lanesOf128_(lanesOf128), registers_(sources) {}

  void plan(std::vector<Wanted *> group);
  const std::vector<Step> &steps() const { return steps_; }

private:
  SmallVector<unsigned, 16> registersOf(const Wanted &) const;
  void halve(const std::vector<Wanted *> &group, unsigned first, unsigned second);
  bool takeInterleaved(const std::vector<Wanted *> &group, unsigned first, unsigned second);
  unsigned halfFor(const Wanted &, ArrayRef<Picks> halves, unsigned first, unsigned second) const;
  unsigned neighbours(const Wanted &, const Picks &half, unsigned first, unsigned second) const;
  void finish(Wanted &, ArrayRef<unsigned> registers);
  void move(Wanted &, unsigned first, unsigned second, const Picks &, unsigned to);
  Picks interleaved(unsigned unit, unsigned half) const;
  unsigned add(unsigned first, unsigned second, Picks picks) {
    steps_.push_back({first, second, std::move(picks)});
    return registers_++;
  }
  /// The number of a wanted lane in the pair; -1 if it lies elsewhere.
  int pickOf(std::pair<unsigned, unsigned> lane, unsigned first, unsigned second) const {
    return lane.first == first    ? int(lane.second)
           : lane.first == second ? int(width_ + lane.second)
                                  : -1;
  }

  unsigned width_, lanesOf128_, registers_;
  std::vector<Step> steps_;
};

SmallVector<unsigned, 16> Net::registersOf(const Wanted &wanted) const {
  SmallVector<unsigned, 16> registers;
  for (auto [from, index] : wanted.lanes)
    if (from != Nothing && !is_contained(registers, from))
      registers.push_back(from);
  return registers;
}

/// All have their lanes in the same registers.
void Net::plan(std::vector<Wanted *> group) {
  SmallVector<unsigned, 16> registers = registersOf(*group[0]);
  if (registers.size() <= 2) {
    for (Wanted *wanted : group)
      finish(*wanted, registersOf(*wanted));
    return;
  }
  for (unsigned i = 0; i + 1 < registers.size(); i += 2)
    halve(group, registers[i], registers[i + 1]);
  std::map<std::vector<unsigned>, std::vector<Wanted *>> groups;
  for (Wanted *wanted : group) {
    SmallVector<unsigned, 16> now = registersOf(*wanted);
    sort(now);
    groups[std::vector<unsigned>(now.begin(), now.end())].push_back(wanted);
  }
  for (auto &[key, part] : groups)
    plan(part);
}

/// The last shuffle, which puts each lane where it is wanted.
void Net::finish(Wanted &wanted, ArrayRef<unsigned> registers) {
  unsigned first = registers[0], second = registers.size() > 1 ? registers[1] : Nothing;
  Picks picks;
  for (auto lane : wanted.lanes)
    picks.push_back(pickOf(lane, first, second));
  bool isThere = second == Nothing && all_of(enumerate(picks), [](auto pick) {
                   return pick.value() < 0 || pick.value() == int(pick.index());
                 });
  wanted.result = isThere ? first : add(first, second, picks);
}

/// Units of so many lanes from both registers in turn: in each 128 bits the lower or upper half of
/// the units, or, of longer units, the even or odd ones of the first and then of the second.
Picks Net::interleaved(unsigned unit, unsigned half) const {
  Picks picks;
  unsigned within = std::max(2 * unit, lanesOf128_);
  if (2 * unit <= lanesOf128_) {
    for (unsigned block = 0; block < width_; block += within)
      for (unsigned at = 0; at < within / 2; at += unit)
        for (unsigned from : {0u, width_})
          for (unsigned lane = 0; lane < unit; ++lane)
            picks.push_back(from + block + half * within / 2 + at + lane);
    return picks;
  }
  for (unsigned from : {0u, width_})
    for (unsigned at = half * unit; at < width_; at += 2 * unit)
      for (unsigned lane = 0; lane < unit; ++lane)
        picks.push_back(from + at + lane);
  return picks;
}

void Net::move(Wanted &wanted, unsigned first, unsigned second, const Picks &picks, unsigned to) {
  for (auto &lane : wanted.lanes)
    if (int pick = pickOf(lane, first, second); pick >= 0)
      lane = {to, unsigned(find(picks, pick) - picks.begin())};
}

/// Which half holds what a wanted register needs of the pair; Nothing: neither.
unsigned Net::halfFor(const Wanted &wanted, ArrayRef<Picks> halves, unsigned first,
                      unsigned second) const {
  for (unsigned half : {0u, 1u})
    if (all_of(wanted.lanes, [&](auto lane) {
          int pick = pickOf(lane, first, second);
          return pick < 0 || is_contained(halves[half], pick);
        }))
      return half;
  return Nothing;
}

/// Lanes that are neighbours in the half as they are in the wanted register.
unsigned Net::neighbours(const Wanted &wanted, const Picks &half, unsigned first,
                         unsigned second) const {
  unsigned count = 0;
  for (unsigned i = 0; i + 1 < wanted.lanes.size(); ++i) {
    int pick = pickOf(wanted.lanes[i], first, second);
    int next = pickOf(wanted.lanes[i + 1], first, second);
    const auto *at = find(half, pick);
    count += pick >= 0 && next >= 0 && at + 1 < half.end() && at[1] == next;
  }
  return count;
}

bool Net::takeInterleaved(const std::vector<Wanted *> &group, unsigned first, unsigned second) {
  if (!isPowerOf2_32(width_) || width_ < lanesOf128_)
    return false;
  std::optional<unsigned> best;
  unsigned mostNeighbours = 0;
  for (unsigned unit = 1; unit < width_; unit *= 2) {
    Picks halves[] = {interleaved(unit, 0), interleaved(unit, 1)};
    bool holdsAll = true;
    unsigned count = 0;
    for (const Wanted *wanted : group) {
      unsigned half = halfFor(*wanted, halves, first, second);
      holdsAll &= half != Nothing;
      if (half != Nothing)
        count += neighbours(*wanted, halves[half], first, second);
    }
    if (holdsAll && (!best || count > mostNeighbours)) {
      best = unit;
      mostNeighbours = count;
    }
  }
  if (!best)
    return false;
  Picks halves[] = {interleaved(*best, 0), interleaved(*best, 1)};
  unsigned made[] = {Nothing, Nothing};
  for (Wanted *wanted : group) {
    unsigned half = halfFor(*wanted, halves, first, second);
    if (made[half] == Nothing)
      made[half] = add(first, second, halves[half]);
    move(*wanted, first, second, halves[half], made[half]);
  }
  return true;
}

/// What the group needs of two registers, in as few new ones as hold it for each as a whole.
void Net::halve(const std::vector<Wanted *> &group, unsigned first, unsigned second) {
  if (takeInterleaved(group, first, second))
    return;
  Picks picks;
  std::vector<Wanted *> inside;
  auto close = [&] {
    Picks padded(picks);
    padded.resize(width_, -1);
    unsigned made = add(first, second, padded);
    for (Wanted *wanted : inside)
      move(*wanted, first, second, padded, made);
    picks.clear();
    inside.clear();
  };
  for (Wanted *wanted : group) {
    Picks more(picks);
    for (auto lane : wanted->lanes)
      if (int pick = pickOf(lane, first, second); pick >= 0 && !is_contained(more, pick))
        more.push_back(pick);
    if (more.size() > width_) {
      close();
      for (auto lane : wanted->lanes)
        if (int pick = pickOf(lane, first, second); pick >= 0 && !is_contained(picks, pick))
          picks.push_back(pick);
    } else {
      picks = more;
    }
    inside.push_back(wanted);
  }
  close();
}

} // namespace

std::vector<Value *> exchangeLanes(IRBuilder<> &builder, ArrayRef<SmallVector<Spot, 16>> wanted) {
  std::vector<Value *> registers;
  std::vector<Wanted> all(wanted.size());
  std::map<std::vector<unsigned>, std::vector<Wanted *>> groups;
  unsigned oneByOne = 0;
  for (auto [result, spots] : zip(all, wanted)) {
    std::vector<unsigned> sources;
    for (const Spot &spot : spots) {
      unsigned number = find(registers, spot.piece) - registers.begin();
      if (spot.piece && number == registers.size())
        registers.push_back(spot.piece);
      result.lanes.push_back({spot.piece ? number : Nothing, spot.index});
      if (spot.piece && !is_contained(sources, number))
        sources.push_back(number);
    }
    if (sources.empty())
      return {};
    oneByOne += std::max<size_t>(sources.size() - 1, 1);
    sort(sources);
    groups[sources].push_back(&result);
  }
  unsigned width = wanted[0].size();
  Type *element = registers[0]->getType()->getScalarType();
  unsigned bits = std::max(8u, unsigned(element->getScalarSizeInBits()));
  Net net(registers.size(), width, std::max(1u, 128 / bits));
  for (auto &[key, group] : groups)
    net.plan(group);
  if (net.steps().size() >= oneByOne)
    return {};
  for (const Step &step : net.steps()) {
    Value *first = registers[step.first];
    Value *second =
        step.second == Nothing ? PoisonValue::get(first->getType()) : registers[step.second];
    registers.push_back(builder.CreateShuffleVector(first, second, step.picks));
  }
  std::vector<Value *> results;
  for (const Wanted &result : all)
    results.push_back(registers[result.result]);
  return results;
}

} // namespace heddle::simt
