// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/occupancy.h"

#include <algorithm>

namespace heddle::model {
namespace {

template <typename T> T roundUp(T value, T unit) { return (value + unit - 1) / unit * unit; }
template <typename T> T roundDown(T value, T unit) { return value / unit * unit; }

int warpsOf(int threads) { return (threads + 31) / 32; }

int byShared(const Architecture &a, const BlockNeeds &needs) {
  const size_t bytes = needs.staticShared + needs.dynamicShared + a.sharedReserved;
  if (bytes == 0)
    return a.blocksPerSm;
  return static_cast<int>(a.sharedPerSm / roundUp<size_t>(bytes, a.sharedUnit));
}

} // namespace

int blocksByRegisters(const Architecture &a, const BlockNeeds &needs) {
  if (needs.registers == 0)
    return a.blocksPerSm;
  if (needs.registers > a.registersPerThread)
    return 0;
  const int warps = warpsOf(needs.threads);
  if (!a.registerPerWarp) {
    const int perBlock = roundUp(roundUp(warps, a.warpUnit) * 32 * needs.registers, a.registerUnit);
    return a.registersPerSm / perBlock;
  }
  // A block may use the registers of one register file only (37: a multiprocessor has two).
  const int perWarp = roundUp(needs.registers * 32, a.registerUnit);
  const int warpsThatFit = roundDown(a.registersPerBlock / perWarp, a.warpUnit);
  return warpsThatFit / warps * (a.registersPerSm / a.registersPerBlock);
}

Occupancy occupancyOf(const Architecture &a, const BlockNeeds &needs) {
  Occupancy result;
  if (needs.threads <= 0 || needs.threads > a.threadsPerBlock)
    return result;
  const int warps = warpsOf(needs.threads);
  result.byWarps = a.warpsPerSm / warps;
  result.byBlocks = a.blocksPerSm;
  result.byRegisters = blocksByRegisters(a, needs);
  result.byShared = byShared(a, needs);
  const struct {
    int blocks;
    OccupancyLimit limit;
  } limits[] = {{result.byWarps, OccupancyLimit::Warps},
                {result.byBlocks, OccupancyLimit::Blocks},
                {result.byRegisters, OccupancyLimit::Registers},
                {result.byShared, OccupancyLimit::Shared}};
  const auto least = std::ranges::min_element(limits, {}, [](const auto &l) { return l.blocks; });
  result.blocks = least->blocks;
  result.limit = least->blocks ? least->limit : OccupancyLimit::TooLarge;
  result.share = double(result.blocks * warps) / a.warpsPerSm;
  return result;
}

int blocksPerMultiprocessor(const Architecture &a, const BlockNeeds &needs) {
  return occupancyOf(a, needs).blocks;
}

/// CUDA leaves out the reserved part of each block here (seen on an H200).
size_t dynamicSharedFor(const Architecture &a, const BlockNeeds &needs, int blocks) {
  const size_t share = roundDown<size_t>(a.sharedPerSm / blocks, a.sharedUnit);
  const size_t most = std::min<size_t>(share, a.sharedOptin);
  return most > needs.staticShared ? most - needs.staticShared : 0;
}

} // namespace heddle::model
