// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

using namespace reduce;

static void tree(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *sums = data.get<float>(1);
#pragma omp parallel for
  for (int block = 0; block < N / Block; ++block) {
    float sum = 0;
    for (int i = 0; i < Block; ++i)
      sum += in[block * Block + i];
    sums[block] = sum;
  }
}

/// The sums of the CUDA form's blocks; rows of Block elements go to the blocks in turn.
static void strided(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *sums = data.get<float>(1);
#pragma omp parallel for
  for (int block = 0; block < Blocks; ++block) {
    float sum = 0;
    for (int row = block; row < N / Block; row += Blocks)
      for (int i = 0; i < Block; ++i)
        sum += in[row * Block + i];
    sums[block] = sum;
  }
}

BENCHMARK("reduce_tree", treeProblem, tree)
BENCHMARK("reduce_strided", stridedProblem, strided)
