// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strsearch.h"

static void run(bench::Data &data) {
  using namespace strsearch;
  const unsigned char *text = data.get<unsigned char>(0), *pattern = data.get<unsigned char>(1);
  unsigned char *found = data.get<unsigned char>(2);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    int k = 0;
    while (k < Length && text[i + k] == pattern[k])
      ++k;
    found[i] = k == Length;
  }
}

BENCHMARK("string_search", strsearch::problem, run)
