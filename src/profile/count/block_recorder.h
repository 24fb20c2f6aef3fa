// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/trace.h"

#include <cstdint>

namespace heddle::profile {

/// Keeps the steps of one block's warps.
class BlockRecorder {
public:
  /// `bytesLeft`: that the trace may take.
  BlockRecorder(const model::KernelCode &code, uint64_t block, uint32_t warps, int64_t bytesLeft)
      : code_(code), bytesLeft_(bytesLeft), trace_{block, std::vector<model::WarpTrace>(warps)} {}

  void came(uint32_t warp, uint32_t lanes, uint32_t number);
  /// Addresses of all lanes, as collector.cpp has resolved them.
  void access(uint32_t warp, uint32_t lanes, uint32_t number, const uint64_t *addresses, bool isRun,
              int64_t stride);
  /// The address of a lane's place in a local variable.
  uint64_t localAddress(uint32_t warp, uint64_t offset) const;

  /// Whether steps are no longer kept.
  bool isFull() const { return !trace_.isWhole; }
  model::BlockTrace take() { return std::move(trace_); }

private:
  bool hasRoom(size_t bytes);

  const model::KernelCode &code_;
  int64_t bytesLeft_;
  model::BlockTrace trace_;
};

} // namespace heddle::profile
