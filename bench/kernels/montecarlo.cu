// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "montecarlo.h"

__device__ static float nextRandom(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (state >> 8) * (1.0f / 16777216.0f);
}

__global__ static void monteCarlo(int darts, int *hits) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = thread * 2654435761u + 1;
  int inside = 0;
  for (int i = 0; i < darts; ++i) {
    float x = nextRandom(state), y = nextRandom(state);
    if (x * x + y * y < 1.0f)
      ++inside;
  }
  hits[thread] = inside;
}

static void run(bench::Data &data) {
  using namespace montecarlo;
  monteCarlo<<<Threads / 128, 128>>>(Darts, data.get<int>(0));
}

BENCHMARK("montecarlo_pi", montecarlo::problem, run)
