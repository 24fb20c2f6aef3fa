// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "radixsort.h"

#include <omp.h>

using radixsort::N;

/// Each thread counts and scatters its part of the keys; counts lie by digit, then by thread.
static void sortByDigit(int shift, const unsigned *from, unsigned *to, int *counts) {
  int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  int first = int(int64_t(N) * thread / threads), last = int(int64_t(N) * (thread + 1) / threads);
  int places[256] = {};
  for (int i = first; i < last; ++i)
    ++places[from[i] >> shift & 255];
  for (int digit = 0; digit < 256; ++digit)
    counts[digit * threads + thread] = places[digit];
#pragma omp barrier
#pragma omp single
  {
    int running = 0;
    for (int i = 0; i < 256 * threads; ++i) {
      int count = counts[i];
      counts[i] = running;
      running += count;
    }
  }
  for (int digit = 0; digit < 256; ++digit)
    places[digit] = counts[digit * threads + thread];
  for (int i = first; i < last; ++i)
    to[places[from[i] >> shift & 255]++] = from[i];
#pragma omp barrier
}

static void run(bench::Data &data) {
  const unsigned *in = data.get<unsigned>(0);
  unsigned *out = data.get<unsigned>(1), *other = data.get<unsigned>(2);
  std::vector<int> counts(256 * omp_get_max_threads());
#pragma omp parallel
  {
    sortByDigit(0, in, other, counts.data());
    sortByDigit(8, other, out, counts.data());
    sortByDigit(16, out, other, counts.data());
    sortByDigit(24, other, out, counts.data());
  }
}

BENCHMARK("radix_sort", radixsort::problem, run)
