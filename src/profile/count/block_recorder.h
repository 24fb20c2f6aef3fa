// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/block_clock.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::profile {

/// The trace as it is if it may take so many bytes. One that needs more is cut: all warps have as many
/// steps, or all of theirs, so that each has its equal part; warps that go on alone would have a multiprocessor for
/// themselves. That is the same whatever more of it is known.
model::BlockTrace cut(model::BlockTrace, uint64_t bytes);

/// Keeps the steps of one block's warps.
class BlockRecorder {
public:
  /// `bytes`: that the trace may take. `clock`: of a launch that reads clocks, or null.
  BlockRecorder(const model::KernelCode &code, uint64_t block, uint32_t warps, uint64_t bytes,
                model::LaunchClock *clock)
      : code_(code), bytes_(bytes), forAll_(int64_t(bytes)),
        ofWarps_(warps, int64_t(bytes / std::max(warps, 1u))),
        trace_{block, std::vector<model::WarpTrace>(warps)} {
    if (clock)
      clock_.emplace(*clock, warps);
  }

  void came(uint32_t warp, uint32_t lanes, uint32_t number);
  /// Addresses of all lanes, as collector.cpp has resolved them.
  void access(uint32_t warp, uint32_t lanes, uint32_t number, const uint64_t *addresses, bool isRun,
              int64_t stride);
  /// The address of a lane's place in a local variable.
  uint64_t localAddress(uint32_t warp, uint64_t offset) const;

  /// Whether nobody asks for further steps.
  bool isFull() const { return cutWarps_ == ofWarps_.size() && !clock_; }
  /// Null: clocks are the processor's.
  model::BlockClock *clock() { return clock_ ? &*clock_ : nullptr; }
  bool keepsTrace() const { return bytes_ > 0; }
  model::BlockTrace take() { return cut(std::move(trace_), bytes_); }

private:
  void add(uint32_t warp, model::WarpEvent, std::span<const uint64_t> addresses);
  bool hasRoom(uint32_t warp, size_t bytes);

  const model::KernelCode &code_;
  const uint64_t bytes_;
  int64_t forAll_; ///< bytes that are left to those that need more: warps run one after the other
  std::vector<int64_t> ofWarps_; ///< of their parts; less than 0: the warp's trace is cut
  size_t cutWarps_ = 0;
  model::BlockTrace trace_;
  std::optional<model::BlockClock> clock_;
};

} // namespace heddle::profile
