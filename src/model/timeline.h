// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the work of streams runs on devices: copy engines, and kernels side by side.
#pragma once

#include "model/transfers.h"

#include <span>
#include <vector>

namespace heddle::model {

enum class WorkKind : uint8_t { Kernel, ToDevice, ToHost, ToPeer, OnDevice, Event };

/// Work in the order in which the program gave it.
struct Work {
  WorkKind kind;
  uint32_t stream = 0; ///< of all devices
  double seconds = 0;  ///< alone
  /// Of a kernel: the part of the device that its blocks fill.
  double share = 1;
  double issued = 0;              ///< the host gave it then
  std::vector<size_t> waits = {}; ///< for these, beside those before it in its stream
  bool isDefaultStream = false;   ///< the device's legacy one: waits for all, and all for it
  uint32_t device = 0;
};

struct Span {
  double begin = 0, end = 0;
};

/// Begin and end of each. All work that is waited for comes earlier in the order.
std::vector<Span> runTimeline(std::span<const Gpu *const> devices, const std::vector<Work> &);
inline std::vector<Span> runTimeline(const Gpu &gpu, const std::vector<Work> &work) {
  const Gpu *const one[] = {&gpu};
  return runTimeline(one, work);
}

} // namespace heddle::model
