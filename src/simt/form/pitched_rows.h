// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"

namespace heddle::simt {

/// For the lanes of a thread that walks along a row of its own, one element after the other, of an
/// array whose rows lie at a distance that only the host knows: `sum += a[row * n + i]`. Each lane
/// has a cache line of its own in use, and a page. Rows a power of two apart share a few sets of
/// the nearest cache, whose ways are 8 to 12: what more lanes load drives out what the others still
/// need. ms for 4 million elements in rows of 17, 512, 1,000 and 2,048, two cores, AVX-512 (and
/// AVX2):
///
///     lanes     17           512          1,000        2,048
///         8   0.45 (0.58)  0.42 (0.57)  0.39 (0.49)  0.39 (0.54)
///        16   0.47 (0.58)  0.67 (0.58)  0.37 (0.49)  0.46 (0.58)
///        32   0.51 (0.64)  0.52 (0.65)  0.37 (0.48)  0.81 (1.02)
///       128   0.53 (1.17)  2.52 (4.18)  0.65 (1.81)  3.87 (2.43)
///
/// One thread after the other takes 0.8 to 1.5. (Sums whose order is free go along the row:
/// jit/vectorize_reductions. Rows whose beginning was loaded wait for memory: thread_cost.cpp.)
inline constexpr unsigned PitchedLanes = 16;

/// Whether a thread without barriers does so in an innermost loop. `ofWarp`, `widest`: the shapes
/// in a warp, and in the widest program that there may be. Rows that are the same for several warps
/// (`a[threadIdx.x * n + i]` in a block of 32x8 threads) do not count: a program of these loads
/// each row once.
bool walksPitchedRows(llvm::Function &thread, LoopFacts &, llvm::ScalarEvolution &,
                      const Shapes &ofWarp, const Shapes &widest);

} // namespace heddle::simt
