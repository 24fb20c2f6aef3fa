// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/launch_proof.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace heddle::device {

namespace {

using Wide = __int128;
constexpr int64_t Least = INT64_MIN, Most = INT64_MAX;

/// The ends of 64 bits stand for what lies beyond, too.
bool isEndless(int64_t value) { return value == Least || value == Most; }

int64_t narrow(Wide value) {
  return value < Least ? Least : value > Most ? Most : static_cast<int64_t>(value);
}
int64_t sum(int64_t a, int64_t b) {
  return isEndless(a) ? a : isEndless(b) ? b : narrow(Wide(a) + b);
}
int64_t difference(int64_t a, int64_t b) {
  return isEndless(a) ? a : b == Least ? Most : b == Most ? Least : narrow(Wide(a) - b);
}
int64_t product(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (isEndless(a) || isEndless(b))
    return (a < 0) == (b < 0) ? Most : Least;
  return narrow(Wide(a) * b);
}

/// Numbers from low to high, of which only so many bits are kept: the least of those is `least`.
std::pair<int64_t, int64_t> wrapped(int64_t low, int64_t high, int64_t bits, int64_t least) {
  Wide size = Wide(1) << bits, shift = (Wide(low) - least) / size * size;
  if (Wide(low) - least < shift)
    shift -= size;
  bool isAny = bits < 64 && (isEndless(low) || isEndless(high));
  if (isAny || high - shift - least >= size)
    return {least, narrow(least + size - 1)};
  return {narrow(low - shift), narrow(high - shift)};
}

/// All ones up to a number's highest bit.
int64_t filled(int64_t value) {
  return value <= 0 ? 0 : static_cast<int64_t>(~uint64_t(0) >> std::countl_zero(uint64_t(value)));
}

/// Of a number of some bytes.
int64_t readNumber(const uint8_t *at, int64_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, at, static_cast<size_t>(bytes));
  auto unused = static_cast<unsigned>(64 - 8 * bytes);
  return static_cast<int64_t>(value << unused) >> unused;
}

} // namespace

int64_t LaunchProver::leastOf(int64_t bits) {
  return bits >= 64 ? Least : -(int64_t(1) << (bits - 1));
}
int64_t LaunchProver::mostOf(int64_t bits) {
  return bits >= 64 ? Most : (int64_t(1) << (bits - 1)) - 1;
}

LaunchProver::LaunchProver(const LaunchProof &proof, const ProofLaunch &launch,
                           Bounds (*boundsAt)(uint64_t))
    : proof_(proof), launch_(launch), boundsAt_(boundsAt) {
  std::copy_n(launch.gridDim, 3, blocks_.count);
  evaluate();
}

void LaunchProver::evaluate() {
  values_.clear();
  values_.reserve(proof_.nodeCount);
  for (uint32_t i = 0; i < proof_.nodeCount; ++i)
    values_.push_back(valueOf(proof_.nodes[i]));
}

// ---------------------------------------------------------------------------------------------------
// Nodes.

LaunchProver::Interval LaunchProver::Interval::number(int64_t value) {
  return {value, value,
          value ? static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(value))) : 64};
}

LaunchProver::Interval LaunchProver::valueOf(const ProofNode &node) const {
  switch (node.op) {
  case ProofOp::Span:
    return node.value == node.more ? Interval::number(node.value) : Interval{node.value, node.more};
  case ProofOp::Param:
    return Interval::number(readNumber(launch_.params + node.a, node.value));
  case ProofOp::GridDim:
    return Interval::number(launch_.gridDim[node.value]);
  case ProofOp::BlockIdx:
    if (blocks_.count[node.value] == 1)
      return Interval::number(blocks_.low[node.value]);
    return {blocks_.low[node.value],
            int64_t(blocks_.low[node.value]) + blocks_.count[node.value] - 1};
  default:
    break;
  }
  bool isOfOne = node.op == ProofOp::Wrap || node.op == ProofOp::Unsign;
  Interval a = values_[node.a], b = values_[node.b], c = values_[node.c];
  if (node.op == ProofOp::Join && (a.isEmpty() || b.isEmpty()))
    return a.isEmpty() ? b : a;
  if (a.isEmpty() || (!isOfOne && b.isEmpty()))
    return {0, -1};
  Interval result = node.op >= ProofOp::AtMost ? limited(node, a, b, c) : computed(node, a, b);
  return result.isOne() ? Interval::number(result.low)
                        : Interval{result.low, result.high, zerosOf(node, a, b, c)};
}

/// Of what is computed.
unsigned LaunchProver::zerosOf(const ProofNode &node, const Interval &a, const Interval &b,
                               const Interval &c) {
  switch (node.op) {
  case ProofOp::Add:
  case ProofOp::Subtract:
  case ProofOp::Join:
  case ProofOp::Smaller:
  case ProofOp::Greater:
  case ProofOp::Or:
  case ProofOp::Xor:
    return std::min(a.zeros, b.zeros);
  case ProofOp::Multiply:
    return std::min(a.zeros + b.zeros, 64u);
  case ProofOp::And:
    return std::max(a.zeros, b.zeros);
  case ProofOp::Steps:
    return std::max(a.zeros, std::min(b.zeros, c.zeros));
  case ProofOp::Without:
  case ProofOp::AtMost:
  case ProofOp::AtLeast:
  case ProofOp::Besides:
  case ProofOp::Below:
  case ProofOp::Unsign:
    return a.zeros;
  case ProofOp::Wrap:
    return a.zeros < node.value ? a.zeros : 64;
  case ProofOp::IfFits:
    return fits(node, b) ? a.zeros : 0;
  default:
    return 0;
  }
}

bool LaunchProver::fits(const ProofNode &node, const Interval &b) {
  return b.low >= (node.more ? 0 : leastOf(node.value)) && b.high <= mostOf(node.value);
}

/// a, as far as others allow.
LaunchProver::Interval LaunchProver::limited(const ProofNode &node, const Interval &a,
                                             const Interval &b, const Interval &c) {
  switch (node.op) {
  case ProofOp::AtMost:
    return {a.low, std::min(a.high, sum(b.high, node.value))};
  case ProofOp::AtLeast:
    return {std::max(a.low, sum(b.low, node.value)), a.high};
  case ProofOp::Besides:
    if (!b.isOne())
      return a;
    return {a.low == b.low ? sum(a.low, 1) : a.low,
            a.high == b.low ? difference(a.high, 1) : a.high};
  case ProofOp::Below:
    if (b.low <= 0)
      return a;
    return {std::max(a.low, difference(0, node.value)),
            std::min(a.high, difference(difference(b.high, 1), node.value))};
  case ProofOp::IfFits:
    return fits(node, b) ? a : Interval{leastOf(node.value), mostOf(node.value)};
  case ProofOp::Steps:
    if (!b.isOne() || !c.isOne() || c.low <= 0 || a.high < b.low || isEndless(a.high))
      return a;
    return {a.low, narrow(b.low + (Wide(a.high) - b.low) / c.low * c.low)};
  case ProofOp::Wrap: {
    auto [low, high] = wrapped(a.low, a.high, node.value, leastOf(node.value));
    return {low, high};
  }
  default: { // Unsign
    if (node.value >= 63)
      return a.low >= 0 ? a : Interval{Least, Most};
    auto [low, high] = wrapped(a.low, a.high, node.value, 0);
    return {low, high};
  }
  }
}

LaunchProver::Interval LaunchProver::computed(const ProofNode &node, const Interval &a,
                                              const Interval &b) {
  const Interval all = {Least, Most};
  switch (node.op) {
  case ProofOp::Add:
    return {sum(a.low, b.low), sum(a.high, b.high)};
  case ProofOp::Subtract:
    return {difference(a.low, b.high), difference(a.high, b.low)};
  case ProofOp::Multiply: {
    int64_t products[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                          product(a.high, b.high)};
    auto [least, most] = std::minmax_element(products, products + 4);
    return {*least, *most};
  }
  case ProofOp::Divide:
    if (b.low <= 0 || isEndless(a.low) || isEndless(a.high))
      return all;
    return {std::min(a.low / b.low, a.low / b.high), std::max(a.high / b.low, a.high / b.high)};
  case ProofOp::Remainder:
    if (b.low <= 0 || a.low < 0)
      return all;
    return a.high < b.low ? a : Interval{0, std::min(a.high, b.high - 1)};
  case ProofOp::ShiftRight:
    if (a.low < 0 || isEndless(a.high) || b.low < 0 || b.high > 63)
      return all;
    return {a.low >> b.high, a.high >> b.low};
  case ProofOp::And: // with a number that is not negative the result lies between 0 and that
    if (a.low < 0 && b.low < 0)
      return all;
    if (a.low >= 0 && b.isOne() && b.low < 0 && b.low != Least &&
        std::has_single_bit(uint64_t(-b.low)))
      return {a.low & b.low, isEndless(a.high) ? a.high : a.high & b.low};
    return {0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
  case ProofOp::Or:
  case ProofOp::Xor:
    if (a.low < 0 || b.low < 0)
      return all;
    return {node.op == ProofOp::Or ? std::max(a.low, b.low) : 0, filled(std::max(a.high, b.high))};
  case ProofOp::Without:
    if (a.low < 0)
      return all;
    if (b.isOne() && b.low >= 0 && !isEndless(b.low) && (b.low & (b.low + 1)) == 0)
      return {a.low & ~b.low, isEndless(a.high) ? a.high : a.high & ~b.low};
    return {0, a.high};
  case ProofOp::Smaller:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case ProofOp::Greater:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case ProofOp::Join:
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  case ProofOp::Less:
    return {a.high < b.low, a.low < b.high};
  case ProofOp::Equal:
    return {a.isOne() && b.isOne() && a.low == b.low, a.low <= b.high && b.low <= a.high};
  default:
    return all;
  }
}

// ---------------------------------------------------------------------------------------------------
// memcheck.

uint64_t LaunchProver::pointerAt(uint32_t param) const {
  uint64_t pointer;
  std::memcpy(&pointer, launch_.params + param, sizeof(pointer));
  return pointer;
}

bool LaunchProver::isInside(const ProvenAccess &access) const {
  Interval offset = values_[access.offset];
  if (offset.isEmpty())
    return true;
  if (offset.zeros < unsigned(std::countr_zero(access.align)))
    return false;
  uint64_t before = 0, bytes = access.bytes;
  if (access.param != NoProofParam) {
    uint64_t pointer = pointerAt(access.param);
    Bounds bounds = boundsAt_(pointer);
    before = pointer - reinterpret_cast<uint64_t>(bounds.low), bytes = bounds.bytes;
    if (pointer % access.align || before > bytes)
      return false;
  } else if (bytes == OfDynamicShared) {
    bytes = launch_.dynamicSharedBytes;
    if (access.before > bytes)
      return false;
    bytes -= access.before;
  }
  return Wide(offset.low) + before >= 0 && Wide(offset.high) + before + access.length <= bytes;
}

bool LaunchProver::isMemoryRight(bool ofShared) const {
  return proof_.flags & ProvesMemory &&
         std::all_of(proof_.accesses, proof_.accesses + proof_.accessCount,
                     [&](const ProvenAccess &access) {
                       return (!ofShared && access.isShared) || isInside(access);
                     });
}

bool LaunchProver::areBlocksAlike() const {
  return proof_.flags & BlocksAlike &&
         std::all_of(proof_.alike, proof_.alike + proof_.alikeCount, [&](uint32_t node) {
           return values_[node].isEmpty() || values_[node].isOne();
         });
}

bool LaunchProver::areAlikeIn(const BlockBox &box) {
  BlockBox all = std::exchange(blocks_, box);
  evaluate();
  bool areAlike = areBlocksAlike();
  blocks_ = all;
  return areAlike;
}

/// The blocks at the edges of a grid often differ: there an array ends. No others are left out.
BlockBox LaunchProver::alikeBlocks() {
  if (!(proof_.flags & BlocksAlike))
    return {};
  if (areBlocksAlike())
    return blocks_;
  BlockBox inner = blocks_;
  for (unsigned d = 0; d < 3; ++d)
    if (blocks_.count[d] > 2)
      inner.low[d] = 1, inner.count[d] -= 2;
  bool areAlike = areAlikeIn(inner);
  for (unsigned side = 0; side < 6 && areAlike; ++side) {
    BlockBox more = inner;
    unsigned d = side / 2;
    if (inner.count[d] == blocks_.count[d])
      continue;
    more.low[d] -= side % 2;
    ++more.count[d];
    if (areAlikeIn(more))
      inner = more;
  }
  evaluate();
  return areAlike ? inner : BlockBox();
}

Proven LaunchProver::run() {
  Proven proven;
  bool usesShared = proof_.flags & UsesShared;
  if (usesShared)
    proven.rest = alikeBlocks();
  bool areAlike = proven.rest.count[0] != 0;
  proven.sync = proof_.flags & LacksSync;
  proven.floats = proof_.flags & LacksFloats;
  proven.memory = isMemoryRight(/*ofShared=*/true);
  proven.memoryOfRest = proven.memory || (areAlike && isMemoryRight(/*ofShared=*/false));
  bool areOthersRight = launch_.isAlone && proof_.flags & ProvesRaces && areRacesRight();
  proven.races = areOthersRight && !usesShared;
  proven.racesOfRest = areOthersRight && (!usesShared || areAlike);
  return proven;
}

} // namespace heddle::device
