// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over parts that the caller cuts: where parts cost the same though they are not equally
// long, or where each has memory of its own.
#pragma once

#include "support/parallel.h"

#include <algorithm>

namespace heddle::sparse {

/// The parts that `work` units are worth, where one part should have `grain` at least.
inline int partsOf(int64_t work, int64_t grain) {
  int64_t most = library::loopThreads();
  return static_cast<int>(std::clamp<int64_t>(work / grain, 1, most));
}

/// Calls body(part) for each part, on several threads.
template <typename F> void parallelParts(int parts, F &&body) {
  library::parallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      body(static_cast<int>(part));
  });
}

} // namespace heddle::sparse
