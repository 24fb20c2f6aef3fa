// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define N 1024
#define BLOCK 32
#define ROWS 8

kernel void copy(global const float *in, global float *out) { out[get_global_id(0)] = in[get_global_id(0)]; }

kernel void diagonal(global float *a, int step) {
  local float tile[BLOCK][BLOCK];
  int thread = get_local_id(0);
  global float *corner = a + step * BLOCK * (N + 1);
  for (int y = 0; y < BLOCK; ++y)
    tile[y][thread] = corner[y * N + thread];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < BLOCK - 1; ++k) {
    if (thread > k)
      tile[thread][k] /= tile[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread > k)
      for (int y = k + 1; y < BLOCK; ++y)
        tile[y][thread] -= tile[y][k] * tile[k][thread];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < BLOCK; ++y)
    corner[y * N + thread] = tile[y][thread];
}

kernel void perimeter(global float *a, int step) {
  local float corner[BLOCK][BLOCK], tile[BLOCK][BLOCK + 1];
  int thread = get_local_id(0), other = step + 1 + get_group_id(0);
  global float *mine = a + (get_group_id(1) == 0 ? step * N + other : other * N + step) * BLOCK;
  for (int y = 0; y < BLOCK; ++y) {
    corner[y][thread] = a[step * BLOCK * (N + 1) + y * N + thread];
    tile[y][thread] = mine[y * N + thread];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(1) == 0) {
    for (int y = 1; y < BLOCK; ++y)
      for (int k = 0; k < y; ++k)
        tile[y][thread] -= corner[y][k] * tile[k][thread];
  } else {
    for (int x = 0; x < BLOCK; ++x) {
      for (int k = 0; k < x; ++k)
        tile[thread][x] -= tile[thread][k] * corner[k][x];
      tile[thread][x] /= corner[x][x];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = 0; y < BLOCK; ++y)
    mine[y * N + thread] = tile[y][thread];
}

kernel void interior(global float *a, int step) {
  local float left[BLOCK][BLOCK], top[BLOCK][BLOCK];
  int x = get_local_id(0), y = get_local_id(1);
  int row = (step + 1 + get_group_id(1)) * BLOCK, column = (step + 1 + get_group_id(0)) * BLOCK;
  float sums[BLOCK / ROWS];
  for (int i = 0; i < BLOCK / ROWS; ++i)
    sums[i] = 0;
  for (int i = 0; i < BLOCK; i += ROWS) {
    left[y + i][x] = a[(row + y + i) * N + step * BLOCK + x];
    top[y + i][x] = a[(step * BLOCK + y + i) * N + column + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int k = 0; k < BLOCK; ++k)
    for (int i = 0; i < BLOCK / ROWS; ++i)
      sums[i] += left[y + i * ROWS][k] * top[k][x];
  for (int i = 0; i < BLOCK / ROWS; ++i)
    a[(row + y + i * ROWS) * N + column + x] -= sums[i];
}
