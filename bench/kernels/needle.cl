// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define N 2048
#define WIDTH (N + 1)
#define TILE 32
#define PENALTY 10

kernel void border(global int *cells) {
  int i = get_global_id(0);
  if (i < WIDTH)
    cells[i] = cells[i * WIDTH] = -i * PENALTY;
}

kernel void alignTiles(int diagonal, int firstRow, global const int *scores, global int *cells) {
  local int tile[TILE + 1][TILE + 1], score[TILE][TILE];
  int thread = get_local_id(0), group = get_group_id(0);
  int row = (firstRow + group) * TILE, column = (diagonal - firstRow - group) * TILE;
  for (int y = 0; y < TILE; ++y)
    score[y][thread] = scores[(row + y) * N + column + thread];
  if (thread == 0)
    tile[0][0] = cells[row * WIDTH + column];
  tile[0][thread + 1] = cells[row * WIDTH + column + thread + 1];
  tile[thread + 1][0] = cells[(row + thread + 1) * WIDTH + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < 2 * TILE - 1; ++step) {
    int y = step - thread;
    if (y >= 0 && y < TILE)
      tile[y + 1][thread + 1] = max(tile[y][thread] + score[y][thread],
                                    max(tile[y][thread + 1], tile[y + 1][thread]) - PENALTY);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < TILE; ++y)
    cells[(row + y + 1) * WIDTH + column + thread + 1] = tile[y + 1][thread + 1];
}
