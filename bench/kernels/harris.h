// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of an array, one number a block, in the seven forms of Harris's talk on reductions:
// neighbours added with a divergent branch, the same by threads side by side (bank conflicts on a
// GPU), sequential addresses, a first addition while loading, the last warp unrolled, everything
// unrolled, and many elements a thread. The OpenMP form is a loop: it needs none of this.
#pragma once

#include "../harness/bench.h"

namespace harris {
constexpr int N = 1 << 24;
constexpr int Block = 256;

/// Elements that a block adds in one step; the seventh form walks on in steps of the grid.
constexpr int elements(int form) { return form < 4 ? Block : 2 * Block; }
constexpr int blocks(int form) { return form < 7 ? N / elements(form) : 256; }

template <int Form> bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, double(sizeof(float)) * N};
  return problem.input(bench::randomFloats(N, 0, 1, 1)).output<float>(blocks(Form));
}
} // namespace harris

#define HARRIS_BENCHMARK(form, name) BENCHMARK("reduce_" #form "_" name, harris::problem<form>, run<form>)
