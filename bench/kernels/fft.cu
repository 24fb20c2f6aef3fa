// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft.h"

#define FFT_FUNCTION __device__ static inline
#include "fft16.inc"

using fft::Radix;

/// One pass; transforms of `length` points become ones of 16 * length.
__global__ static void fftPass(int n, int length, const float2 *in, const float2 *roots, float2 *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, k = j & (length - 1);
  float2 v[Radix];
  for (int i = 0; i < Radix; ++i)
    v[i] = in[j + i * (n / Radix)];
  fftTwiddle(v, roots[k]);
  fft16(v);
  float2 *to = out + (j - k) * Radix + k;
  for (int i = 0; i < Radix; ++i)
    to[(i / 4 + i % 4 * 4) * length] = v[i];
}

static void run(bench::Data &data) {
  using namespace fft;
  const float2 *from = data.get<float2>(0), *roots = data.get<float2>(1);
  for (int pass = 0, length = 1; pass < Passes; ++pass, length *= Radix) {
    float2 *to = data.get<float2>(pass == Passes - 1 ? 4 : 2 + pass % 2);
    fftPass<<<N / Radix / Block, Block>>>(N, length, from, roots + rootsAt(length), to);
    from = to;
  }
}

BENCHMARK("fft_radix16", fft::problem, run)
