// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/warp_memory.h"

#include "model/cache.h"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

constexpr size_t KnownCosts = 4096;
constexpr double Lanes = 32;

uint32_t ceilCycles(double cycles) { return static_cast<uint32_t>(std::ceil(cycles - 1e-9)); }

bool isRegular(const WarpEvent &event) { return event.stride != IsGathered; }

uint64_t keyOf(const WarpEvent &event, uint64_t place) {
  return uint64_t(event.lanes) * 0x9e3779b97f4a7c15u ^ place << 20 ^
         uint64_t(static_cast<uint32_t>(event.stride)) << 34 ^ event.number;
}

/// Of KnownCosts.
size_t slotOf(uint64_t key) { return (key * 0xbf58476d1ce4e5b9u) >> 52; }

} // namespace

WarpMemory::WarpMemory(const Gpu &gpu, const KernelCode &kernel, const MemoryState &state)
    : gpu_(gpu), kernel_(kernel), state_(state), parameters_(gpu.parameters()),
      rules_(memoryRulesOf(static_cast<unsigned>(gpu.major), static_cast<unsigned>(gpu.minor))),
      known_(KnownCosts), knownShared_(KnownCosts) {}

void WarpMemory::expand(const WarpEvent &event, const WarpTrace &trace, uint32_t bytes) {
  (void)bytes;
  uint32_t next = event.firstAddress;
  if (isRegular(event)) {
    const auto first = static_cast<unsigned>(__builtin_ctz(event.lanes | 1u << 31));
    const uint64_t base = trace.addresses[next];
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses_[lane] =
          base + static_cast<uint64_t>((static_cast<int64_t>(lane) - first) * event.stride);
    return;
  }
  for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
    addresses_[__builtin_ctz(rest)] = trace.addresses[next++];
}

/// Shared memory: passes of 32 banks, of 16 for half warps in 1.x.
WarpRequest WarpMemory::shared(const CodeAccess &access, const WarpAccess &warp,
                               const WarpEvent &event) {
  // Of a regular one the place within the banks is what counts.
  const uint64_t place = warp.addresses[__builtin_ctz(warp.lanes)] % 256;
  const uint64_t key = isRegular(event) ? keyOf(event, place) : ~uint64_t(0);
  KnownShared &known = knownShared_[slotOf(key)];
  if (key != ~uint64_t(0) && known.key == key)
    return known.request;
  // Lanes of one address follow each other behind that.
  const bool isAtomic =
      access.operation == Operation::Atomic || access.operation == Operation::Reduce;
  const SharedCost cost =
      sharedCost(rules_, warp, isAtomic ? Operation::Load : access.operation, state_.wideBanks);
  WarpRequest request;
  request.traffic = Traffic::Shared;
  request.passes = cost.passes;
  // One address for all is one word.
  const bool isUniform = warp.lanes == ~0u && warp.addresses[0] == warp.addresses[31] &&
                         warp.addresses[0] == warp.addresses[16];
  const double passBytes = isUniform ? 16 : gpu_.major == 1 ? 64 : 128;
  const double ofPass = std::max(1.0, passBytes / parameters_.sharedBytes);
  // From 5.0 on what is narrow is the way of the data to the lanes, too: each has its own, even of one word for all.
  const double bytes = __builtin_popcount(warp.lanes) * double(warp.bytes);
  request.cycles = ceilCycles(
      gpu_.major < 5 ? cost.passes * ofPass
                     : std::max({cost.passes * passCycles(), bytes / parameters_.sharedBytes,
                                 issueCycles(parameters_)}));
  if (isAtomic) {
    // From 8.0 on the lanes of an address are counted, and one is added for each: ATOMS.POPC.INC.
    const AtomicCost atomic = atomicCost(warp);
    const bool isCount = access.operation == Operation::Reduce && access.flags & IsIncrement;
    request.deepest = gpu_.major >= 8 && isCount ? 1 : atomic.deepest;
  }
  if (key != ~uint64_t(0))
    known = {key, request};
  return request;
}

/// From 5.0 on: a pass reads a row of L1's banks, which are those of shared memory.
double WarpMemory::passCycles() const {
  constexpr double RowBytes = 128;
  return std::max(1.0, RowBytes / parameters_.sharedBytes);
}

MemoryCost WarpMemory::costOf(const CodeAccess &access, const WarpAccess &warp,
                              const WarpEvent &event) {
  if (!isRegular(event))
    return globalCost(rules_, warp, access.operation, state_.usesL1);
  // What counts of a regular access is its place within a few lines.
  const uint64_t place = warp.addresses[__builtin_ctz(warp.lanes)] % 4096;
  const uint64_t key = keyOf(event, place);
  Known &known = known_[slotOf(key)];
  if (known.key != key)
    known = {key, globalCost(rules_, warp, access.operation, state_.usesL1)};
  return known.cost;
}

void WarpMemory::listSectors(const WarpAccess &warp, const WarpEvent &event) {
  sectors_.clear();
  if (isRegular(event) && event.stride >= 0 && event.stride <= int(SectorBytes)) {
    const uint64_t low = warp.addresses[__builtin_ctz(warp.lanes)] / SectorBytes;
    const uint64_t high =
        (warp.addresses[31 - __builtin_clz(warp.lanes)] + warp.bytes - 1) / SectorBytes;
    for (uint64_t s = low; s <= high; ++s)
      sectors_.push_back(s);
    return;
  }
  for (uint32_t rest = warp.lanes; rest; rest &= rest - 1) {
    const uint64_t address = warp.addresses[__builtin_ctz(rest)];
    for (uint64_t s = address / SectorBytes; s <= (address + warp.bytes - 1) / SectorBytes; ++s)
      sectors_.push_back(s);
  }
  std::ranges::sort(sectors_);
  sectors_.erase(std::ranges::unique(sectors_).begin(), sectors_.end());
}

WarpRequest WarpMemory::global(const CodeAccess &access, Space space, const WarpAccess &warp,
                               const WarpEvent &event) {
  const MemoryCost cost = costOf(access, warp, event);
  listSectors(warp, event);
  WarpRequest request;
  const bool isTexture = access.operation == Operation::Texture;
  const bool isLoad = access.operation == Operation::Load || isTexture ||
                      access.operation == Operation::AsyncCopy ||
                      access.operation == Operation::Prefetch;
  const bool isAtomic =
      access.operation == Operation::Atomic || access.operation == Operation::Reduce;
  request.traffic = isAtomic ? Traffic::Atomic : isLoad ? Traffic::Load : Traffic::Store;
  // Machines before 3.5 have no such load, and textures alone go by that cache.
  const bool hasReadOnlyLoads = gpu_.major * 10 + gpu_.minor >= 35;
  request.isTexture = isTexture;
  request.isReadOnly = isTexture || (hasReadOnlyLoads && access.flags & IsReadOnly);
  request.passes = cost.passes;
  const double active = __builtin_popcount(warp.lanes);
  if (gpu_.major <=
      2) // each pass is an issue of all lanes again; of 1.x, a half warp's transaction
    request.cycles = ceilCycles(cost.passes * (gpu_.major == 1 ? 16 : 32) / parameters_.loadLanes);
  else
    request.cycles = ceilCycles(std::max({cost.passes * passCycles(), issueCycles(parameters_),
                                          double(cost.wanted) / parameters_.l1Bytes}));
  request.cycles = std::max(request.cycles, 1u);
  if (!isLoad && cost.wanted < sectors_.size() * SectorBytes)
    request.partialLines = cost.lines;
  if (isAtomic) {
    const AtomicCost atomic = atomicCost(warp);
    request.deepest = atomic.deepest, request.steps = atomic.steps;
  }
  if (gpu_.major == 1 && !isTexture) {
    request.weight = double(cost.bytes) / (double(sectors_.size()) * SectorBytes);
    // One address is not fetched for each lane again, though 1.0 has a transaction for each.
    if (gpu_.minor < 2 && request.weight > 1)
      request.weight *= atomicCost(warp).addresses / active;
  }
  const bool isLocal = space == Space::Local;
  const bool keeps = request.isReadOnly ? parameters_.cachesReadOnly > 0
                                        : parameters_.cachesGlobal > 0 && state_.usesL1;
  request.usesL1 = isLoad && !(access.flags & (BypassesL1 | IsVolatile)) &&
                   (keeps || isTexture || (isLocal && gpu_.major >= 2));
  request.sectors = sectors_;
  return request;
}

WarpRequest WarpMemory::request(const WarpEvent &event, const WarpTrace &trace) {
  const CodeAccess &access = kernel_.accesses[event.number];
  if (!event.lanes)
    return {};
  expand(event, trace, access.bytes);
  const WarpAccess warp{event.lanes, access.bytes, addresses_, access.flags};
  const Space space = access.space == Space::Generic
                          ? spaceOfAddress(addresses_[__builtin_ctz(event.lanes)])
                          : access.space;
  switch (space) {
  case Space::Shared:
    return shared(access, warp, event);
  case Space::Constant:
  case Space::Parameter: {
    WarpRequest request;
    request.traffic = Traffic::Constant;
    request.passes = request.cycles = constantPasses(warp);
    return request;
  }
  default:
    return global(access, space, warp, event);
  }
}

double issueCycles(const Parameters &parameters) { return Lanes / parameters.loadLanes; }

uint64_t l1BytesOf(const Gpu &gpu, uint64_t sharedBytes, const MemoryState &state) {
  const Parameters &p = gpu.parameters();
  if (gpu.major == 1)
    return 0;
  if (p.l1Kb > 0 && p.unifiedKb <= 0) // beside shared memory
    return static_cast<uint64_t>(p.l1Kb) * 1024;
  if (gpu.major <= 3) { // 16 KB, or 48 if the program asks for less shared memory
    const bool wantsL1 = state.sharedKb >= 0 && state.sharedKb <= 16 && sharedBytes <= 16384;
    return wantsL1 ? 49152 : 16384;
  }
  // The driver gives shared memory the least of the sizes that hold what the resident blocks have.
  static constexpr int Sizes[] = {0, 8, 16, 32, 64, 96, 100, 132, 164, 196, 228};
  const uint64_t wanted =
      std::max<uint64_t>(sharedBytes, state.sharedKb > 0 ? uint64_t(state.sharedKb) * 1024 : 0);
  const int least = gpu.minor == 5 && gpu.major == 7 ? 32 : 0;
  const uint64_t most = static_cast<uint64_t>(gpu.architecture().sharedPerSm);
  uint64_t given = most;
  for (int kb : Sizes)
    if (kb >= least && uint64_t(kb) * 1024 >= wanted) {
      given = std::min(most, uint64_t(kb) * 1024);
      break;
    }
  return static_cast<uint64_t>(p.unifiedKb) * 1024 - given;
}

} // namespace heddle::model
