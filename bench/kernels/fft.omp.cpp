// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft.h"

struct float2 {
  float x, y;
};
#define FFT_FUNCTION static inline __attribute__((always_inline))
#include "fft16.inc"

using namespace fft;

constexpr int Chunk = 16; // transforms whose numbers lie side by side

static inline void transform(const float2 *in, float2 root, int length, float2 *out) {
  float2 v[Radix];
  for (int i = 0; i < Radix; ++i)
    v[i] = in[i * (N / Radix)];
  fftTwiddle(v, root);
  fft16(v);
  for (int i = 0; i < Radix; ++i)
    out[(i / 4 + i % 4 * 4) * length] = v[i];
}

static void run(bench::Data &data) {
  const float2 *from = data.get<float2>(0);
  for (int pass = 0, length = 1; pass < Passes; ++pass, length *= Radix) {
    float2 *to = data.get<float2>(pass == Passes - 1 ? 4 : 2 + pass % 2);
    const float2 *roots = data.get<float2>(1) + rootsAt(length);
#pragma omp parallel for
    for (int j = 0; j < N / Radix; j += Chunk) {
      if (length == 1) {
#pragma omp simd
        for (int i = 0; i < Chunk; ++i)
          transform(from + j + i, roots[0], 1, to + (j + i) * Radix);
      } else {
        int k = j & (length - 1);
        float2 *base = to + (j - k) * Radix + k;
#pragma omp simd
        for (int i = 0; i < Chunk; ++i)
          transform(from + j + i, roots[k + i], length, base + i);
      }
    }
    from = to;
  }
}

BENCHMARK("fft_radix16", problem, run)
