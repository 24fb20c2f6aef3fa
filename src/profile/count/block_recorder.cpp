// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/block_recorder.h"

#include <bit>
#include <cstddef>

namespace heddle::profile {

using model::EventKind;
using model::WarpEvent;

namespace {

uint64_t bytesOf(const WarpEvent &event) {
  uint64_t addresses = 0;
  if (event.kind == EventKind::Access && event.lanes)
    addresses = event.stride == model::IsGathered ? uint64_t(std::popcount(event.lanes)) : 1;
  return sizeof(WarpEvent) + addresses * sizeof(uint64_t);
}

/// How many of the first steps take no more bytes.
size_t stepsWithin(const model::WarpTrace &warp, uint64_t bytes) {
  size_t steps = 0;
  for (uint64_t taken = 0; steps < warp.events.size(); ++steps)
    if ((taken += bytesOf(warp.events[steps])) > bytes)
      break;
  return steps;
}

} // namespace

model::BlockTrace cut(model::BlockTrace trace, uint64_t bytes) {
  uint64_t all = 0;
  for (const model::WarpTrace &warp : trace.warps)
    for (const WarpEvent &event : warp.events)
      all += bytesOf(event);
  trace.isWhole &= all <= bytes;
  if (trace.isWhole)
    return trace;
  const uint64_t part = bytes / std::max<size_t>(trace.warps.size(), 1);
  size_t most = SIZE_MAX;
  for (const model::WarpTrace &warp : trace.warps)
    if (size_t steps = stepsWithin(warp, part); warp.isCut || steps < warp.events.size())
      most = std::min(most, steps);
  for (model::WarpTrace &warp : trace.warps)
    if (most < warp.events.size()) {
      const auto rest = warp.events.begin() + std::ptrdiff_t(most);
      const auto next = std::find_if(rest, warp.events.end(), [](const WarpEvent &event) {
        return event.kind == EventKind::Access;
      });
      if (next != warp.events.end())
        warp.addresses.resize(next->firstAddress);
      warp.events.erase(rest, warp.events.end());
      warp.isCut = true;
    }
  return trace;
}

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
  trace_.warps[warp].isCut = true;
  trace_.isWhole = false;
  return false;
}

void BlockRecorder::came(uint32_t warp, uint32_t lanes, uint32_t number) {
  trace_.operations += code_.blocks[number].count;
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

uint64_t BlockRecorder::localAddress(uint32_t warp, uint64_t offset) const {
  constexpr uint64_t Lanes = 32, Least = 256;
  uint64_t bytes = std::max<uint64_t>(code_.localBytes, Least) * Lanes;
  return model::LocalWindow + (trace_.block * trace_.warps.size() + warp) * bytes + offset;
}

} // namespace heddle::profile
