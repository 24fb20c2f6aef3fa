// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "fft.h"

static void run(bench::Data &data) {
  using namespace fft;
  void *from = data.arrays[0], *roots = data.arrays[1];
  for (int pass = 0, length = 1; pass < Passes; ++pass, length *= Radix) {
    void *to = data.arrays[pass == Passes - 1 ? 4 : 2 + pass % 2];
    bench::opencl::launch("fft", "fftPass", {N / Radix / Block}, {Block}, N, length, from, roots, rootsAt(length),
                          to);
    from = to;
  }
}

BENCHMARK("fft_radix16", fft::problem, run)
