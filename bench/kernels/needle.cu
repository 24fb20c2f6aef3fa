// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "needle.h"

using namespace needle;

__global__ static void border(int *cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Width)
    cells[i] = cells[i * Width] = -i * Penalty;
}

__global__ static void alignTiles(int diagonal, int firstRow, const int *scores, int *cells) {
  __shared__ int tile[Tile + 1][Tile + 1], score[Tile][Tile];
  int thread = threadIdx.x, row = (firstRow + blockIdx.x) * Tile, column = (diagonal - firstRow - blockIdx.x) * Tile;
  for (int y = 0; y < Tile; ++y)
    score[y][thread] = scores[(row + y) * N + column + thread];
  if (thread == 0)
    tile[0][0] = cells[row * Width + column];
  tile[0][thread + 1] = cells[row * Width + column + thread + 1];
  tile[thread + 1][0] = cells[(row + thread + 1) * Width + column];
  __syncthreads();
  for (int step = 0; step < 2 * Tile - 1; ++step) {
    int y = step - thread;
    if (y >= 0 && y < Tile)
      tile[y + 1][thread + 1] = max(tile[y][thread] + score[y][thread],
                                    max(tile[y][thread + 1], tile[y + 1][thread]) - Penalty);
    __syncthreads();
  }
  for (int y = 0; y < Tile; ++y)
    cells[(row + y + 1) * Width + column + thread + 1] = tile[y + 1][thread + 1];
}

static void run(bench::Data &data) {
  const int *scores = data.get<int>(0);
  int *cells = data.get<int>(1);
  border<<<(Width + 255) / 256, 256>>>(cells);
  for (int diagonal = 0; diagonal < 2 * Tiles - 1; ++diagonal)
    alignTiles<<<count(diagonal, Tiles), Tile>>>(diagonal, first(diagonal, Tiles), scores, cells);
}

BENCHMARK("needle", problem, run)
