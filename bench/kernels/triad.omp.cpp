// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triad.h"

static void run(bench::Data &data) {
  const float *b = data.get<float>(0), *c = data.get<float>(1);
  float *a = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < triad::N; ++i)
    a[i] = b[i] + 3.0f * c[i];
}

BENCHMARK("triad", triad::problem, run)
