// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void matmulNaive(int n, global const float *a, global const float *b, global float *c) {
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

#define TILED(name, TILE)                                                                                    \
  kernel void name(int n, global const float *a, global const float *b, global float *c) {                   \
    local float tileA[TILE][TILE], tileB[TILE][TILE];                                                        \
    int x = get_local_id(0), y = get_local_id(1);                                                            \
    int column = get_global_id(0), row = get_global_id(1);                                                   \
    float sum = 0;                                                                                           \
    for (int start = 0; start < n; start += TILE) {                                                          \
      tileA[y][x] = a[row * n + start + x];                                                                  \
      tileB[y][x] = b[(start + y) * n + column];                                                             \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
      for (int k = 0; k < TILE; ++k)                                                                         \
        sum += tileA[y][k] * tileB[k][x];                                                                    \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
    }                                                                                                        \
    c[row * n + column] = sum;                                                                               \
  }

TILED(matmulTiled16, 16)
TILED(matmulTiled32, 32)
