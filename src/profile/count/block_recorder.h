// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/block_clock.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::profile {

/// Keeps the steps of one block's warps.
class BlockRecorder {
public:
  /// `bytes`: that the trace may take: half of it in equal parts for warps, which run one after the other, the
  /// rest for who needs more. `clock`: of a launch that reads clocks, or null.
  BlockRecorder(const model::KernelCode &code, uint64_t block, uint32_t warps, int64_t bytes,
                model::LaunchClock *clock)
      : code_(code), keepsTrace_(bytes > 0), forAll_(bytes / 2),
        ofWarps_(warps, bytes / 2 / std::max(warps, 1u)),
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
  bool keepsTrace() const { return keepsTrace_; }
  model::BlockTrace take();

private:
  void add(uint32_t warp, model::WarpEvent, std::span<const uint64_t> addresses);
  bool hasRoom(uint32_t warp, size_t bytes);

  const model::KernelCode &code_;
  const bool keepsTrace_;
  int64_t forAll_;               ///< bytes that are left
  std::vector<int64_t> ofWarps_; ///< less than 0: the warp's trace is cut
  size_t cutWarps_ = 0;
  model::BlockTrace trace_;
  std::optional<model::BlockClock> clock_;
};

} // namespace heddle::profile
