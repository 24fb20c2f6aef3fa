// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.h"

#include <omp.h>

using scan::N;

/// Each thread sums its chunk; then it scans the chunk, starting from the sum of the chunks before.
static void run(bench::Data &data) {
  const int *in = data.get<int>(0);
  int *out = data.get<int>(1), *sums = data.get<int>(2);
#pragma omp parallel
  {
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int first = int(int64_t(N) * thread / threads), last = int(int64_t(N) * (thread + 1) / threads);
    int sum = 0;
    for (int i = first; i < last; ++i)
      sum += in[i];
    sums[thread] = sum;
#pragma omp barrier
    int running = 0;
    for (int t = 0; t < thread; ++t)
      running += sums[t];
    for (int i = first; i < last; ++i)
      out[i] = running += in[i];
  }
}

BENCHMARK("scan", scan::problem, run)
