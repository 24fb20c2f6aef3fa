// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolution.h"

using namespace convolution;

static void run(bench::Data &data) {
  const float *in = data.get<float>(0), *weights = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    float sum = 0;
    for (int k = 0; k < Taps; ++k)
      sum += weights[k] * in[i + k];
    out[i] = sum;
  }
}

BENCHMARK("convolution_1d", problem, run)
