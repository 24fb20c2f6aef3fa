// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/sample.h"

#include <algorithm>

namespace heddle::model {

namespace {

/// Generations of resident blocks on the sampled multiprocessor: the first fills it, and later ones
/// tell how long each takes beside others.
constexpr uint64_t Generations = 4;
/// The most blocks of the grid's front.
constexpr uint64_t MostFront = 2048;

} // namespace

bool SampledBlocks::has(uint64_t block) const {
  return block < front || std::binary_search(own.begin(), own.end(), block);
}

uint64_t SampledBlocks::count() const {
  return front + static_cast<uint64_t>(
                     std::ranges::count_if(own, [&](uint64_t block) { return block >= front; }));
}

std::vector<uint64_t> blocksOfOne(uint64_t blocks, uint64_t multiprocessors, uint64_t count) {
  const uint64_t all = (blocks + multiprocessors - 1) / multiprocessors;
  const uint64_t skipped = (all - count) / 2, middle = multiprocessors / 2;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < count; ++i)
    numbers.push_back(std::min(blocks - 1, (skipped + i) * multiprocessors + middle));
  return numbers;
}

SampledBlocks sampleBlocks(const Gpu &gpu, const MachineCode &code, const LaunchShape &shape) {
  SampledBlocks sampled;
  const Occupancy occupancy =
      occupancyOf(gpu.architecture(), {static_cast<int>(shape.threads()), code.registers,
                                       code.kernel->staticShared, shape.dynamicShared});
  const uint64_t blocks = shape.blocks();
  if (occupancy.blocks <= 0 || !blocks)
    return sampled;
  const auto all = static_cast<uint64_t>(gpu.multiprocessors);
  const uint64_t used = std::min(blocks, all), perOne = (blocks + used - 1) / used;
  const auto resident = static_cast<uint64_t>(occupancy.blocks);
  sampled.front = std::min({blocks, 2 * used * resident, MostFront});
  sampled.own = blocksOfOne(blocks, used, std::min(perOne, Generations * resident));
  return sampled;
}

} // namespace heddle::model
