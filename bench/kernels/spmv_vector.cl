// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define BLOCK 256

kernel void spmvVector(int rows, global const int *starts, global const int *columns,
                       global const float *values, global const float *x, global float *y) {
  local float sums[BLOCK];
  int thread = get_local_id(0), row = get_global_id(0) / 32, lane = thread % 32;
  float sum = 0;
  if (row < rows)
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
      sum += values[i] * x[columns[i]];
  sums[thread] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 16; distance > 0; distance /= 2) {
    if (lane < distance)
      sums[thread] += sums[thread + distance];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && row < rows)
    y[row] = sums[thread];
}
