// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE_X 32
#define TILE_Y 8

kernel void stencil5(int n, global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * n + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  else if (x < n && y < n)
    out[i] = in[i];
}

kernel void stencil5Shared(int n, global const float *in, global float *out) {
  local float tile[TILE_Y + 2][TILE_X + 2];
  int x = get_global_id(0), y = get_global_id(1);
  int threadX = get_local_id(0), threadY = get_local_id(1);
  int tileX = threadX + 1, tileY = threadY + 1, i = y * n + x;
  if (x < n && y < n) {
    tile[tileY][tileX] = in[i];
    if (threadX == 0 && x > 0)
      tile[tileY][0] = in[i - 1];
    if (threadX == TILE_X - 1 && x < n - 1)
      tile[tileY][TILE_X + 1] = in[i + 1];
    if (threadY == 0 && y > 0)
      tile[0][tileX] = in[i - n];
    if (threadY == TILE_Y - 1 && y < n - 1)
      tile[TILE_Y + 1][tileX] = in[i + n];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * tile[tileY][tileX] + 0.125f * (tile[tileY][tileX - 1] + tile[tileY][tileX + 1] +
                                                   tile[tileY - 1][tileX] + tile[tileY + 1][tileX]);
  else if (x < n && y < n)
    out[i] = tile[tileY][tileX];
}
