// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp has 32 lanes and at most 16 bytes a lane, so all sets here are small arrays: pieces of
// memory that an access touches are collected, and sorted when they are counted.
#include "model/transactions.h"

#include <algorithm>
#include <array>

namespace heddle::model {

namespace {

constexpr unsigned Lanes = 32, Half = 16, SectorBytes = 32, LineBytes = 128, WordBytes = 4;
constexpr uint32_t LowHalf = 0xffff;

/// Distinct numbers, of a lane at most a few.
class Pieces {
public:
  void add(uint64_t piece) {
    if (count_ == 0 || pieces_[count_ - 1] != piece)
      pieces_[count_++] = piece;
  }
  /// All pieces of `size` bytes (a power of two) that an access of lanes touches.
  void addAll(const WarpAccess &access, uint32_t lanes, uint32_t size) {
    forEach(access, lanes, [&](uint64_t address) {
      for (uint64_t at = address / size; at <= (address + access.bytes - 1) / size; ++at)
        add(at);
    });
  }
  uint32_t count() {
    std::sort(pieces_.begin(), pieces_.begin() + count_);
    auto end = std::unique(pieces_.begin(), pieces_.begin() + count_);
    return count_ = static_cast<uint32_t>(end - pieces_.begin());
  }
  std::span<const uint64_t> sorted() {
    count();
    return {pieces_.data(), count_};
  }
  template <typename F> static void forEach(const WarpAccess &access, uint32_t lanes, F &&body) {
    for (uint32_t rest = access.lanes & lanes; rest; rest &= rest - 1)
      body(access.addresses[__builtin_ctz(rest)]);
  }

private:
  /// An access of 16 bytes that is misaligned touches 5 words, and one of a byte's pieces 16.
  std::array<uint64_t, Lanes * 17> pieces_;
  uint32_t count_ = 0;
};

uint32_t distinct(const WarpAccess &access, uint32_t lanes, uint32_t size) {
  Pieces pieces;
  pieces.addAll(access, lanes, size);
  return pieces.count();
}

/// Lanes that are served together: halves of a warp for 8 bytes each, quarters for 16.
unsigned groupsOf(uint32_t bytes) { return bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4; }
uint32_t lanesOfGroup(unsigned group, unsigned groups) {
  unsigned size = Lanes / groups;
  return (size == Lanes ? ~0u : (1u << size) - 1) << (group * size);
}
unsigned busyGroups(const WarpAccess &access) {
  unsigned busy = 0, groups = groupsOf(access.bytes);
  for (unsigned g = 0; g < groups; ++g)
    busy += (access.lanes & lanesOfGroup(g, groups)) != 0;
  return busy;
}

// ---------------------------------------------------------------------------------------------------
// Global memory.

/// Lane k of the half reads word k of an aligned piece of memory, or nothing.
bool isInOrder(const WarpAccess &access, uint32_t lanes, unsigned first) {
  uint32_t active = access.lanes & lanes;
  auto lane = static_cast<unsigned>(__builtin_ctz(active));
  uint64_t base = access.addresses[lane] - uint64_t(lane - first) * access.bytes;
  bool isOrdered = access.bytes >= WordBytes && base % (Half * access.bytes) == 0;
  for (uint32_t rest = active; isOrdered && rest; rest &= rest - 1) {
    auto k = static_cast<unsigned>(__builtin_ctz(rest));
    isOrdered = access.addresses[k] == base + uint64_t(k - first) * access.bytes;
  }
  return isOrdered;
}

void addInOrder(const WarpAccess &access, uint32_t lanes, unsigned first, MemoryCost &cost) {
  uint32_t active = access.lanes & lanes;
  if (!active)
    return;
  uint32_t count = static_cast<uint32_t>(__builtin_popcount(active)), bytes = SectorBytes;
  if (isInOrder(access, lanes, first)) {
    count = access.bytes > 8 ? 2 : 1;
    bytes = Half * access.bytes / count;
  }
  cost.transactions += count;
  cost.bytes += count * bytes;
}

/// The guide's procedure: the segment of the lowest lane that is left serves all that lie in it.
void addSegments(const WarpAccess &access, uint32_t lanes, MemoryCost &cost) {
  uint32_t size = access.bytes == 1 ? 32 : access.bytes == 2 ? 64 : 128;
  for (uint32_t rest = access.lanes & lanes; rest;) {
    uint64_t begin = access.addresses[__builtin_ctz(rest)] / size * size, low = ~0ull, high = 0;
    for (uint32_t some = rest; some; some &= some - 1) {
      auto lane = static_cast<unsigned>(__builtin_ctz(some));
      uint64_t address = access.addresses[lane];
      if (address - begin >= size)
        continue;
      low = std::min(low, address);
      high = std::max(high, address + access.bytes - 1);
      rest &= ~(1u << lane);
    }
    uint32_t used = size;
    while (used > 32 && low / (used / 2) == high / (used / 2))
      used /= 2;
    ++cost.transactions;
    cost.bytes += used;
  }
}

void addLines(const WarpAccess &access, bool usesL1, MemoryCost &cost) {
  unsigned groups = groupsOf(access.bytes);
  for (unsigned g = 0; g < groups; ++g) {
    uint32_t lanes = lanesOfGroup(g, groups), lines = distinct(access, lanes, LineBytes);
    cost.transactions += lines;
    cost.passes += lines;
    cost.bytes += usesL1 ? lines * LineBytes : distinct(access, lanes, SectorBytes) * SectorBytes;
  }
}

/// Banks of L1 and shared memory, of 4 bytes: a row of them is a line. A row may begin in any line.
uint32_t linePasses(const WarpAccess &access) {
  constexpr unsigned Banks = 32;
  Pieces pieces;
  pieces.addAll(access, ~0u, WordBytes);
  uint32_t inBank[Banks] = {};
  for (uint64_t piece : pieces.sorted())
    ++inBank[piece % Banks];
  return *std::max_element(inBank, inBank + Banks);
}

// ---------------------------------------------------------------------------------------------------
// Shared memory.

/// Of a half warp: a pass serves one word for all who want it, and of each other bank one lane.
uint32_t halfWarpPasses(const WarpAccess &access, uint32_t lanes, uint64_t word) {
  constexpr unsigned Banks = 16;
  auto wordOf = [&](unsigned lane) { return access.addresses[lane] / WordBytes + word; };
  uint32_t passes = 0;
  for (uint32_t rest = access.lanes & lanes; rest; ++passes) {
    uint64_t shared = wordOf(static_cast<unsigned>(__builtin_ctz(rest)));
    uint32_t isBusy = 1u << shared % Banks;
    for (uint32_t some = rest; some; some &= some - 1) {
      auto lane = static_cast<unsigned>(__builtin_ctz(some));
      uint64_t own = wordOf(lane);
      if (own != shared && isBusy >> own % Banks & 1)
        continue;
      isBusy |= 1u << own % Banks;
      rest &= ~(1u << lane);
    }
  }
  return passes;
}

SharedCost halfWarps(const WarpAccess &access) {
  SharedCost cost;
  uint64_t words = std::max(1u, access.bytes / WordBytes);
  for (uint32_t lanes : {LowHalf, ~LowHalf})
    for (uint64_t word = 0; word < words && access.lanes & lanes; ++word) {
      cost.passes += halfWarpPasses(access, lanes, word);
      ++cost.ideal;
    }
  return cost;
}

/// Distinct rows in the bank that has most. `rowOf` and `bankOf` of a word.
template <typename Row, typename Bank>
uint32_t deepestBank(const WarpAccess &access, uint32_t lanes, Row &&rowOf, Bank &&bankOf) {
  constexpr unsigned Banks = 32;
  Pieces words, rows;
  words.addAll(access, lanes, WordBytes);
  for (uint64_t word : words.sorted())
    rows.add(rowOf(word) * Banks + bankOf(word));
  uint32_t inBank[Banks] = {};
  for (uint64_t row : rows.sorted())
    ++inBank[row % Banks];
  return *std::max_element(inBank, inBank + Banks);
}

uint32_t deepestOfWords(const WarpAccess &access, uint32_t lanes) {
  return deepestBank(
      access, lanes, [](uint64_t word) { return word / 32; },
      [](uint64_t word) { return word % 32; });
}

SharedCost keplerBanks(const WarpAccess &access, bool wideBanks) {
  SharedCost cost;
  unsigned groups = access.bytes > 8 ? 2 : 1;
  for (unsigned g = 0; g < groups; ++g) {
    uint32_t lanes = lanesOfGroup(g, groups);
    if (!(access.lanes & lanes))
      continue;
    ++cost.ideal;
    cost.passes += deepestBank(
        access, lanes, [](uint64_t word) { return word / 64; },
        [&](uint64_t word) { return wideBanks ? word / 2 % 32 : word % 32; });
  }
  return cost;
}

/// Lanes of each pair, which differ in one bit, have one address, or one of them is not there: halves
/// of 8 bytes a lane, or quarters of 16, are then served with each other.
bool areSamePairs(const WarpAccess &access, unsigned bit) {
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    unsigned other = lane ^ bit;
    bool areBoth = access.lanes >> lane & 1 && access.lanes >> other & 1;
    if (areBoth && access.addresses[lane] != access.addresses[other])
      return false;
  }
  return true;
}

SharedCost groupedBanks(const WarpAccess &access, bool mergesPairs, uint32_t more) {
  SharedCost cost;
  unsigned groups = groupsOf(access.bytes);
  if (groups > 1 && mergesPairs && (areSamePairs(access, 1) || areSamePairs(access, 2)))
    groups /= 2;
  for (unsigned g = 0; g < groups; ++g) {
    uint32_t lanes = lanesOfGroup(g, groups);
    if (!(access.lanes & lanes))
      continue;
    ++cost.ideal;
    cost.passes += deepestOfWords(access, lanes) + more;
  }
  return cost;
}

} // namespace

MemoryRules memoryRulesOf(unsigned major, unsigned minor) {
  switch (major) {
  case 1:
    return minor < 2 ? MemoryRules::InOrder : MemoryRules::Segments;
  case 2:
    return MemoryRules::Lines;
  case 3:
    return MemoryRules::L2;
  default:
    return MemoryRules::Sectors;
  }
}

MemoryCost globalCost(MemoryRules rules, const WarpAccess &access, Operation operation,
                      bool usesL1) {
  MemoryCost cost;
  if (!access.lanes)
    return cost;
  cost.requests = 1;
  cost.sectors = distinct(access, ~0u, SectorBytes);
  cost.lines = distinct(access, ~0u, LineBytes);
  cost.wanted =
      distinct(access, ~0u, std::min(access.bytes, WordBytes)) * std::min(access.bytes, WordBytes);
  switch (rules) {
  case MemoryRules::InOrder:
    addInOrder(access, LowHalf, 0, cost);
    addInOrder(access, ~LowHalf, Half, cost);
    cost.passes = cost.transactions;
    break;
  case MemoryRules::Segments:
    addSegments(access, LowHalf, cost);
    addSegments(access, ~LowHalf, cost);
    cost.passes = cost.transactions;
    break;
  case MemoryRules::Lines:
    addLines(access, usesL1 && operation == Operation::Load && !(access.flags & BypassesL1), cost);
    break;
  case MemoryRules::L2:
    cost.transactions = cost.sectors;
    cost.bytes = cost.sectors * SectorBytes;
    cost.passes = std::max(cost.lines, busyGroups(access));
    break;
  case MemoryRules::Sectors:
    cost.transactions = cost.sectors;
    cost.bytes = cost.sectors * SectorBytes;
    cost.passes = std::max((cost.lines + 1) / 2, linePasses(access)); // two tags a clock
    break;
  }
  return cost;
}

SharedCost sharedCost(MemoryRules rules, const WarpAccess &access, Operation operation,
                      bool wideBanks) {
  if (!access.lanes)
    return {};
  SharedCost cost;
  switch (rules) {
  case MemoryRules::InOrder:
  case MemoryRules::Segments:
    cost = halfWarps(access);
    break;
  case MemoryRules::
      Lines: // of 16 bytes most are slower by one pass (guide, "Compute Capability 2.x")
    cost = groupedBanks(access, /*mergesPairs=*/false, access.bytes > 8 ? 1 : 0);
    break;
  case MemoryRules::L2:
    cost = keplerBanks(access, wideBanks);
    break;
  case MemoryRules::Sectors:
    cost = groupedBanks(access, /*mergesPairs=*/true, 0);
    break;
  }
  if (operation == Operation::Atomic || operation == Operation::Reduce)
    cost.passes = std::max(cost.passes, atomicCost(access).deepest);
  return cost;
}

uint32_t constantPasses(const WarpAccess &access) {
  Pieces pieces;
  Pieces::forEach(access, ~0u, [&](uint64_t address) { pieces.add(address / WordBytes); });
  return pieces.count();
}

AtomicCost atomicCost(const WarpAccess &access) {
  std::array<uint64_t, Lanes> addresses;
  size_t count = 0;
  Pieces::forEach(access, ~0u, [&](uint64_t address) { addresses[count++] = address; });
  AtomicCost cost;
  for (size_t i = 0; i < count; ++i) // neighbours in a sector go together
    cost.steps += i == 0 || addresses[i] != addresses[i - 1] + access.bytes ||
                  addresses[i] / SectorBytes != addresses[i - 1] / SectorBytes;
  std::sort(addresses.begin(), addresses.begin() + count);
  for (size_t i = 0, run = 0; i < count; ++i) {
    run = i && addresses[i] == addresses[i - 1] ? run + 1 : 1;
    cost.addresses += run == 1;
    cost.deepest = std::max(cost.deepest, static_cast<uint32_t>(run));
  }
  return cost;
}

} // namespace heddle::model
