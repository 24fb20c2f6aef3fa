// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/sums.h"

#include <algorithm>
#include <bit>

namespace heddle::profile {

using model::MemoryRules;
using model::Operation;
using model::Space;

void MemorySums::add(const model::MemoryCost &cost) {
  transactions += cost.transactions, bytes += cost.bytes, sectors += cost.sectors;
  lines += cost.lines, wanted += cost.wanted, passes += cost.passes;
}
void MemorySums::add(const MemorySums &other, uint64_t times) {
  transactions += other.transactions * times, bytes += other.bytes * times;
  sectors += other.sectors * times, lines += other.lines * times;
  wanted += other.wanted * times, passes += other.passes * times;
}
void SharedSums::add(const model::SharedCost &cost) {
  passes += cost.passes, ideal += cost.ideal, conflicts += cost.conflicts();
}
void SharedSums::add(const SharedSums &other, uint64_t times) {
  passes += other.passes * times, ideal += other.ideal * times;
  conflicts += other.conflicts * times;
}

void AccessSums::add(const AccessSums &other, uint64_t times) {
  requests += other.requests * times, lanes += other.lanes * times;
  sharedRequests += other.sharedRequests * times;
  for (unsigned i = 0; i < model::MemoryRulesCount; ++i) {
    memory[i].add(other.memory[i], times);
    shared[i].add(other.shared[i], times);
  }
  pastL1.add(other.pastL1, times);
  wideBanks.add(other.wideBanks, times);
  constantPasses += other.constantPasses * times;
  addresses += other.addresses * times, deepest += other.deepest * times;
}

AccessSums costOf(const model::CodeAccess &access, Space space, uint32_t lanes,
                  const uint64_t *addresses, uint32_t wantedRules) {
  AccessSums sums;
  if (!lanes)
    return sums;
  sums.requests = 1;
  sums.lanes = uint64_t(std::popcount(lanes));
  model::WarpAccess all = {lanes, access.bytes, addresses, access.flags};
  Operation operation = access.operation;
  if (operation == Operation::Atomic || operation == Operation::Reduce) {
    model::AtomicCost cost = model::atomicCost(all);
    sums.addresses = cost.addresses, sums.deepest = cost.deepest;
  }
  if (space == Space::Constant) {
    sums.constantPasses = model::constantPasses(all);
    return sums;
  }
  sums.sharedRequests = space == Space::Shared;
  auto isWanted = [&](MemoryRules rules) { return wantedRules >> unsigned(rules) & 1; };
  for (unsigned i = 0; i < model::MemoryRulesCount; ++i) {
    auto rules = static_cast<MemoryRules>(i);
    if (!isWanted(rules))
      continue;
    if (space == Space::Shared)
      sums.shared[i].add(model::sharedCost(rules, all, operation));
    else
      sums.memory[i].add(model::globalCost(rules, all, operation, /*usesL1=*/true));
  }
  if (space == Space::Shared && isWanted(MemoryRules::L2))
    sums.wideBanks.add(model::sharedCost(MemoryRules::L2, all, operation, /*wideBanks=*/true));
  if (space != Space::Shared && isWanted(MemoryRules::Lines))
    sums.pastL1.add(model::globalCost(MemoryRules::Lines, all, operation, /*usesL1=*/false));
  return sums;
}

uint64_t localAddress(uint64_t offset, uint32_t bytes, unsigned lane) {
  constexpr unsigned Lanes = 32;
  uint64_t piece = std::max<uint64_t>(bytes, 4);
  return offset / piece * (piece * Lanes) + lane * piece + offset % piece;
}

} // namespace heddle::profile
