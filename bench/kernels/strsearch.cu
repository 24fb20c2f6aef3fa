// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strsearch.h"

__global__ static void search(int n, int length, const unsigned char *text, const unsigned char *pattern,
                              unsigned char *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int k = 0;
  while (k < length && text[i + k] == pattern[k])
    ++k;
  found[i] = k == length;
}

static void run(bench::Data &data) {
  using namespace strsearch;
  search<<<(N + 255) / 256, 256>>>(N, Length, data.get<unsigned char>(0), data.get<unsigned char>(1),
                                   data.get<unsigned char>(2));
}

BENCHMARK("string_search", strsearch::problem, run)
