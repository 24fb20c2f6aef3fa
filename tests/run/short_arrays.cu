// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of few elements, read by blocks of all sizes: a lane behind the end must read nothing. LLVM 22's back end takes the
// mask off a load that it has folded into an addition (src/jit/emit/back_end.cpp).
#include "support.h"

__global__ void addFour(unsigned n, const unsigned *in, unsigned *sums) {
  unsigned sum = 4;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum += in[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  for (unsigned threads : {2u, 20u, 36u, 100u, 200u, 1000u})
    for (unsigned n : {1u, 5u}) {
      std::vector<unsigned> values(n), want(2 * threads, 4);
      for (unsigned i = 0; i < n; ++i)
        values[i] = 7 * i + 1;
      for (unsigned i = 0; i < n && i < want.size(); ++i)
        want[i] += values[i];
      Buffer<unsigned> in(values), out(want.size());
      addFour<<<2, threads>>>(n, in, out);
      checkLaunch();
      expectAll("sums", out.get(), want);
    }
  return finish();
}
