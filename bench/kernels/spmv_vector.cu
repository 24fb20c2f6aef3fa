// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_vector.h"

using namespace spmv_vector;

__global__ static void spmvVector(int rows, const int *starts, const int *columns, const float *values,
                                  const float *x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0)
    y[row] = sum;
}

static void run(bench::Data &data) {
  spmvVector<<<Rows / (Block / 32), Block>>>(Rows, data.get<int>(0), data.get<int>(1), data.get<float>(2),
                                             data.get<float>(3), data.get<float>(4));
}

BENCHMARK("spmv_vector", problem, run)
