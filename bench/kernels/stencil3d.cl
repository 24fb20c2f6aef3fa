// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE_X 32
#define TILE_Y 8
#define STEPS 64

bool isInside(int n, int x, int y, int z) {
  return x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1;
}

kernel void stencil7(int n, global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= n || y >= n || z >= n)
    return;
  int i = (z * n + y) * n + x, plane = n * n;
  if (isInside(n, x, y, z))
    out[i] = 0.4f * in[i] +
             0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
  else
    out[i] = in[i];
}

kernel void stencil7Shared(int n, global const float *in, global float *out) {
  local float tile[TILE_Y + 2][TILE_X + 2];
  int x = get_global_id(0), y = get_global_id(1);
  int threadX = get_local_id(0), threadY = get_local_id(1), tileX = threadX + 1, tileY = threadY + 1;
  int first = get_group_id(2) * STEPS, plane = n * n, i = (first * n + y) * n + x;
  float below = first > 0 ? in[i - plane] : 0, here = in[i];
  for (int z = first; z < first + STEPS; ++z, i += plane) {
    float above = z < n - 1 ? in[i + plane] : 0;
    tile[tileY][tileX] = here;
    if (threadX == 0 && x > 0)
      tile[tileY][0] = in[i - 1];
    if (threadX == TILE_X - 1 && x < n - 1)
      tile[tileY][TILE_X + 1] = in[i + 1];
    if (threadY == 0 && y > 0)
      tile[0][tileX] = in[i - n];
    if (threadY == TILE_Y - 1 && y < n - 1)
      tile[TILE_Y + 1][tileX] = in[i + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = isInside(n, x, y, z)
                 ? 0.4f * here + 0.1f * (tile[tileY][tileX - 1] + tile[tileY][tileX + 1] +
                                         tile[tileY - 1][tileX] + tile[tileY + 1][tileX] + below + above)
                 : here;
    barrier(CLK_LOCAL_MEM_FENCE);
    below = here;
    here = above;
  }
}
