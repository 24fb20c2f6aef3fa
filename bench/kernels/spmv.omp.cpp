// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.h"

static void run(bench::Data &data) {
  const int *starts = data.get<int>(0), *columns = data.get<int>(1);
  const float *values = data.get<float>(2), *x = data.get<float>(3);
  float *y = data.get<float>(4);
#pragma omp parallel for
  for (int row = 0; row < spmv::Rows; ++row) {
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i)
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

BENCHMARK("spmv_scalar", spmv::problem, run)
