// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.h"

__global__ static void spmvScalar(int rows, const int *starts, const int *columns, const float *values,
                                  const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

static void run(bench::Data &data) {
  using spmv::Rows;
  spmvScalar<<<(Rows + 255) / 256, 256>>>(Rows, data.get<int>(0), data.get<int>(1), data.get<float>(2),
                                          data.get<float>(3), data.get<float>(4));
}

BENCHMARK("spmv_scalar", spmv::problem, run)
