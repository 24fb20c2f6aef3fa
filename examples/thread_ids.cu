// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: chapter "General Purpose GPU Programming", section 7.2, figure 7.5 (execution
// configuration); lecture 2, "Block IDs and Thread IDs".
//
// Every thread of a grid knows where it is. Each writes its coordinates to the place that they
// select, so that the host sees whether every thread ran exactly once.
#include "common.h"

struct Place {
  unsigned blockX, blockY, blockZ, threadX, threadY, threadZ;
  unsigned visits;
};

__global__ void writePlace(Place *places) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  Place &mine = places[block * (blockDim.x * blockDim.y * blockDim.z) + thread];
  mine.blockX = blockIdx.x;
  mine.blockY = blockIdx.y;
  mine.blockZ = blockIdx.z;
  mine.threadX = threadIdx.x;
  mine.threadY = threadIdx.y;
  mine.threadZ = threadIdx.z;
  mine.visits += 1;
}

/// In the order of the numbers that writePlace computes: x runs fastest, then y, then z.
static bool everyThreadOnce(const std::vector<Place> &places, dim3 grid, dim3 block) {
  size_t i = 0;
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned tz = 0; tz < block.z; ++tz)
          for (unsigned ty = 0; ty < block.y; ++ty)
            for (unsigned tx = 0; tx < block.x; ++tx) {
              const Place &p = places[i++];
              if (p.blockX != bx || p.blockY != by || p.blockZ != bz || p.threadX != tx ||
                  p.threadY != ty || p.threadZ != tz || p.visits != 1)
                return false;
            }
  return i == places.size();
}

static void run(dim3 grid, dim3 block) {
  size_t threads = size_t(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
  Place *places = zerosOnDevice<Place>(threads);
  writePlace<<<grid, block>>>(places);
  check(everyThreadOnce(toHost(places, threads), grid, block),
        "grid %u x %u x %u, block %u x %u x %u: %zu threads", grid.x, grid.y, grid.z, block.x,
        block.y, block.z, threads);
  CUDA_CHECK(cudaFree(places));
}

int main() {
  run(dim3(3, 2), dim3(4, 3)); // the figure's 72 threads
  run(8, 16);                  // plain numbers mean one dimension:
  run(dim3(8, 1), dim3(16, 1));
  run(dim3(2, 3, 4), dim3(5, 6, 7));
  run(1, 1);
  run(1, 1024);
  run(dim3(1, 1, 3), dim3(1, 33, 2));
  run(1000, 37);
  return exitCode();
}
