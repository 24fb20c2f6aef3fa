// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/counts.h"

#include "device/checks.h"
#include "device/counts.h"
#include "device/cpu/engine/queue.h"

namespace heddle::device::cpu {

void beginCounted(Op &op) {
  LaunchState &launch = op.launch;
  launch.counted = {&counter()->services, nullptr};
  launch.abi.count = &launch.counted;
}

void endCounted(Op &op) {
  if (op.launch.abi.count && op.launch.counted.state)
    counter()->launchOver(op.launch.counted, op.launch.cancelled.load());
}

void bindCounted(Op &op, Block &block, unsigned worker) {
  if (isCounted(block)) [[unlikely]]
    counter()->bind(&block, op.launch.counted, *op.launch.kernel, worker);
}

void blockBegins(Block &block, uint64_t number, unsigned worker) {
  if (isCounted(block))
    counter()->blockBegins(&block, number, worker);
}

void blockEnds(Block &block) {
  if (isCounted(block))
    counter()->blockEnds(&block);
}

bool isSampled(const Op &op) { return op.launch.abi.count && op.launch.rest; }

uint64_t runOfBlocks(const Op &op, uint64_t first, uint64_t most, bool &areCounted) {
  const Launch *launch = &op.launch.abi;
  areCounted = counter()->isCounted(launch, first);
  uint64_t count = 1;
  while (count < most && counter()->isCounted(launch, first + count) == areCounted)
    ++count;
  return count;
}

uint64_t numberOf(const Block &block) {
  const uint32_t *grid = block.launch->gridDim;
  return (uint64_t(block.blockIdx[2]) * grid[1] + block.blockIdx[1]) * grid[0] + block.blockIdx[0];
}

} // namespace heddle::device::cpu

namespace heddle::device {

void placeOfLaunch(const Launch *launch, const void *&queue, const void *&device) {
  const auto &op = *static_cast<const cpu::Op *>(launch->runner);
  queue = op.queue;
  device = op.queue->device;
}

AddressKind kindOf(const Block *block, uint64_t address, uint64_t &offset) {
  offset = address - reinterpret_cast<uint64_t>(block->shared);
  if (offset < block->launch->sharedBytes)
    return AddressKind::Shared;
  for (uint32_t rank = 0; rank < MostClusterBlocks && block->clusterShared[rank]; ++rank)
    if (uint64_t at = address - reinterpret_cast<uint64_t>(block->clusterShared[rank]);
        at < block->launch->sharedBytes) {
      offset = at;
      return AddressKind::Shared;
    }
  const void *pointer = reinterpret_cast<const void *>(address);
  if (isAllocatorMemory(pointer))
    return AddressKind::Global;
  switch (placeOf(block, pointer).kind) {
  case MemoryPlace::Kind::Thread:
    return AddressKind::Local;
  case MemoryPlace::Kind::Params:
    return AddressKind::Parameter;
  default:
    return AddressKind::Global;
  }
}

} // namespace heddle::device
