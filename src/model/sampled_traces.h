// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all blocks did, from the traces of some.
#pragma once

#include "model/timing.h"

namespace heddle::model {

struct SampledTraces {
  Traces traces;
  /// Share of the base sample's accesses whose addresses the others explain; those of the rest are
  /// the nearest sample's.
  double regular = 0;
};

/// `samples` are not empty, and are moved into the result.
SampledTraces tracesOf(std::vector<BlockTrace> samples, const LaunchShape &);

} // namespace heddle::model
