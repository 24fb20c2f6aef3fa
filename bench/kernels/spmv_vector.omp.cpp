// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_vector.h"

using namespace spmv_vector;

static void run(bench::Data &data) {
  const int *starts = data.get<int>(0), *columns = data.get<int>(1);
  const float *values = data.get<float>(2), *x = data.get<float>(3);
  float *y = data.get<float>(4);
#pragma omp parallel for schedule(static, 256)
  for (int row = 0; row < Rows; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = starts[row]; i < starts[row + 1]; ++i)
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

BENCHMARK("spmv_vector", problem, run)
