// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/block_recorder.h"

#include <bit>

namespace heddle::profile {

using model::EventKind;
using model::WarpEvent;

bool BlockRecorder::hasRoom(size_t bytes) {
  if (!trace_.isWhole)
    return false;
  bytesLeft_ -= int64_t(bytes);
  if (bytesLeft_ < 0)
    trace_.isWhole = false;
  return trace_.isWhole;
}

void BlockRecorder::came(uint32_t warp, uint32_t lanes, uint32_t number) {
  if (warp < trace_.warps.size() && hasRoom(sizeof(WarpEvent)))
    trace_.warps[warp].events.push_back({EventKind::Block, number, lanes, 0, 0});
}

void BlockRecorder::access(uint32_t warp, uint32_t lanes, uint32_t number,
                           const uint64_t *addresses, bool isRun, int64_t stride) {
  bool isShort = isRun && stride > INT32_MIN && stride <= INT32_MAX;
  size_t count = isShort ? 1 : size_t(std::popcount(lanes));
  if (warp >= trace_.warps.size() || !hasRoom(sizeof(WarpEvent) + count * sizeof(uint64_t)))
    return;
  model::WarpTrace &trace = trace_.warps[warp];
  trace.events.push_back({EventKind::Access, number, lanes, uint32_t(trace.addresses.size()),
                          isShort ? int32_t(stride) : model::IsGathered});
  for (uint32_t left = lanes; left; left &= left - 1) {
    trace.addresses.push_back(addresses[std::countr_zero(left)]);
    if (isShort)
      break;
  }
}

uint64_t BlockRecorder::localAddress(uint32_t warp, uint64_t offset) const {
  constexpr uint64_t Lanes = 32, Least = 256;
  uint64_t bytes = std::max<uint64_t>(code_.localBytes, Least) * Lanes;
  return model::LocalWindow + (trace_.block * trace_.warps.size() + warp) * bytes + offset;
}

} // namespace heddle::profile
