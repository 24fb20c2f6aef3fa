// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the work of streams runs on a device: copy engines, and kernels side by side.
#pragma once

#include "model/transfers.h"

#include <vector>

namespace heddle::model {

enum class WorkKind : uint8_t { Kernel, ToDevice, ToHost, OnDevice, Event };

/// Work in the order in which the program gave it.
struct Work {
  WorkKind kind;
  uint32_t stream = 0;
  double seconds = 0; ///< alone
  /// Of a kernel: the part of the device that its blocks fill.
  double share = 1;
  double issued = 0;              ///< the host gave it then
  std::vector<size_t> waits = {}; ///< for these, beside those before it in its stream
  bool isDefaultStream = false;   ///< the legacy default stream: waits for all, and all for it
};

struct Span {
  double begin = 0, end = 0;
};

/// Begin and end of each. All work that is waited for comes earlier in the order.
std::vector<Span> runTimeline(const Gpu &, const std::vector<Work> &);

} // namespace heddle::model
