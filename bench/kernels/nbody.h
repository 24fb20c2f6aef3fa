// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All-pairs gravity: the acceleration of each body, tiles of bodies through shared memory. 20
// operations are counted for an interaction, as is the custom since GPU Gems 3, chapter 31.
#pragma once

#include "../harness/bench.h"

namespace nbody {
constexpr int N = 8192;
constexpr int Tile = 256;
constexpr float Softening = 1e-2f;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 20.0 * N * N};
  problem.tolerance = 1e-3;
  return problem.input(bench::randomFloats(4 * N, 0, 1, 1)).output<float>(4 * N);
}
} // namespace nbody
