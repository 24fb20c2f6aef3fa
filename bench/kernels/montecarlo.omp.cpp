// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "montecarlo.h"

static float nextRandom(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (state >> 8) * (1.0f / 16777216.0f);
}

static void run(bench::Data &data) {
  using namespace montecarlo;
  int *hits = data.get<int>(0);
#pragma omp parallel for
  for (int thread = 0; thread < Threads; ++thread) {
    unsigned state = thread * 2654435761u + 1;
    int inside = 0;
    for (int i = 0; i < Darts; ++i) {
      float x = nextRandom(state), y = nextRandom(state);
      if (x * x + y * y < 1.0f)
        ++inside;
    }
    hits[thread] = inside;
  }
}

BENCHMARK("montecarlo_pi", montecarlo::problem, run)
