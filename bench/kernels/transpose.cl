// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE 32

kernel void transposeNaive(int n, global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * n + y] = in[y * n + x];
}

kernel void transposeTiled(int n, global const float *in, global float *out) {
  local float tile[TILE][TILE + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * TILE + tx, y = get_group_id(1) * TILE + ty;
  for (int j = 0; j < TILE; j += 8)
    tile[ty + j][tx] = in[(y + j) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + tx;
  y = get_group_id(0) * TILE + ty;
  for (int j = 0; j < TILE; j += 8)
    out[(y + j) * n + x] = tile[tx][ty + j];
}
