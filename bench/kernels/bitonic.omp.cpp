// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitonic.h"

using namespace bitonic;

static void sortPiece(unsigned *keys) {
  for (int size = 2; size <= Piece; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2)
      for (int base = 0; base < Piece; base += 2 * stride) {
        bool ascending = (base & size) == 0;
        for (int low = base; low < base + stride; ++low) {
          unsigned a = keys[low], b = keys[low + stride];
          unsigned smaller = a < b ? a : b, larger = a < b ? b : a;
          keys[low] = ascending ? smaller : larger;
          keys[low + stride] = ascending ? larger : smaller;
        }
      }
}

static void run(bench::Data &data) {
  const unsigned *in = data.get<unsigned>(0);
  unsigned *out = data.get<unsigned>(1);
#pragma omp parallel for
  for (int base = 0; base < N; base += Piece) {
    unsigned keys[Piece];
    std::memcpy(keys, in + base, sizeof(keys));
    sortPiece(keys);
    std::memcpy(out + base, keys, sizeof(keys));
  }
}

BENCHMARK("bitonic_sort", problem, run)
