// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "saxpy.h"

static void run(bench::Data &data) {
  const float *x = data.get<float>(0), *z = data.get<float>(1);
  float *y = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < saxpy::N; ++i)
    y[i] = saxpy::A * x[i] + z[i];
}

BENCHMARK("saxpy", saxpy::problem, run)
