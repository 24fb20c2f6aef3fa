// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "reduce.h"

using namespace reduce;

static void tree(bench::Data &data) {
  bench::opencl::launch("reduce", "reduceTree", {N / Block}, {Block}, data.arrays[0], data.arrays[1]);
}

static void strided(bench::Data &data) {
  bench::opencl::launch("reduce", "reduceStrided", {Blocks}, {Block}, N, data.arrays[0], data.arrays[1]);
}

BENCHMARK("reduce_tree", treeProblem, tree)
BENCHMARK("reduce_strided", stridedProblem, strided)
