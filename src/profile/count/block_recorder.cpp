// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/block_recorder.h"

#include <bit>

namespace heddle::profile {

using model::EventKind;
using model::WarpEvent;

bool BlockRecorder::hasRoom(uint32_t warp, size_t bytes) {
  int64_t &own = ofWarps_[warp];
  if (own < 0)
    return false;
  const auto needed = int64_t(bytes);
  if (own >= needed || forAll_ >= needed) {
    (own >= needed ? own : forAll_) -= needed;
    return true;
  }
  own = -1;
  ++cutWarps_;
  trace_.isWhole = false;
  return false;
}

void BlockRecorder::came(uint32_t warp, uint32_t lanes, uint32_t number) {
  add(warp, {EventKind::Block, number, lanes, 0, 0}, {});
}

void BlockRecorder::access(uint32_t warp, uint32_t lanes, uint32_t number,
                           const uint64_t *addresses, bool isRun, int64_t stride) {
  const bool isShort = isRun && stride > INT32_MIN && stride <= INT32_MAX;
  uint64_t kept[32];
  size_t count = 0;
  for (uint32_t left = lanes; left && !(isShort && count); left &= left - 1)
    kept[count++] = addresses[std::countr_zero(left)];
  add(warp, {EventKind::Access, number, lanes, 0, isShort ? int32_t(stride) : model::IsGathered},
      {kept, count});
}

void BlockRecorder::add(uint32_t warp, WarpEvent event, std::span<const uint64_t> addresses) {
  if (warp >= trace_.warps.size())
    return;
  if (clock_)
    clock_->add(warp, event, addresses);
  if (!hasRoom(warp, sizeof(WarpEvent) + addresses.size_bytes()))
    return;
  model::WarpTrace &trace = trace_.warps[warp];
  if (event.kind == EventKind::Access)
    event.firstAddress = uint32_t(trace.addresses.size());
  trace.events.push_back(event);
  trace.addresses.insert(trace.addresses.end(), addresses.begin(), addresses.end());
}

/// Where the traces of some warps are cut, none is longer than the shortest of these: warps that go on alone
/// would have a multiprocessor for themselves.
model::BlockTrace BlockRecorder::take() {
  size_t longest = SIZE_MAX;
  for (size_t warp = 0; warp < ofWarps_.size(); ++warp)
    if (ofWarps_[warp] < 0)
      longest = std::min(longest, trace_.warps[warp].events.size());
  if (!trace_.isWhole)
    for (model::WarpTrace &warp : trace_.warps)
      warp.events.resize(std::min(warp.events.size(), longest));
  return std::move(trace_);
}

uint64_t BlockRecorder::localAddress(uint32_t warp, uint64_t offset) const {
  constexpr uint64_t Lanes = 32, Least = 256;
  uint64_t bytes = std::max<uint64_t>(code_.localBytes, Least) * Lanes;
  return model::LocalWindow + (trace_.block * trace_.warps.size() + warp) * bytes + offset;
}

} // namespace heddle::profile
