// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.h"

using namespace histogram;

static void shared(bench::Data &data) {
  const unsigned char *in = data.get<unsigned char>(0);
  unsigned *bins = data.get<unsigned>(1);
  std::memset(bins, 0, Bins * sizeof(unsigned));
#pragma omp parallel
  {
    unsigned mine[Bins] = {};
#pragma omp for
    for (int i = 0; i < N; ++i)
      ++mine[in[i]];
#pragma omp critical
    for (int bin = 0; bin < Bins; ++bin)
      bins[bin] += mine[bin];
  }
}

static void global(bench::Data &data) {
  const unsigned char *in = data.get<unsigned char>(0);
  unsigned *bins = data.get<unsigned>(1);
  std::memset(bins, 0, Bins * sizeof(unsigned));
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
#pragma omp atomic
    ++bins[in[i]];
}

BENCHMARK("histogram_shared", problem, shared)
BENCHMARK("histogram_global", problem, global)
