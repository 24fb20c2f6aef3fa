// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/sampling.h"

#include <algorithm>

namespace heddle::profile {

Sampling everyNth(uint64_t counted, uint64_t traced) {
  Sampling sampling;
  sampling.ofLaunch = [=](const LaunchStart &launch) {
    uint64_t step = std::max<uint64_t>(launch.shape.blocks() / std::max<uint64_t>(counted, 1), 1);
    auto ofBlock = [=](uint64_t block) {
      constexpr uint64_t TraceBytes = 1 << 20;
      return Treatment{block % step == 0,
                       block % step == 0 && block / step < traced ? TraceBytes : 0};
    };
    Treatments treatments;
    treatments.ofBlock = ofBlock;
    return treatments;
  };
  return sampling;
}

} // namespace heddle::profile
