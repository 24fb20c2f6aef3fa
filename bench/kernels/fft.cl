// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define FFT_FUNCTION inline
#include "fft16.inc"

#define RADIX 16

kernel void fftPass(int n, int length, global const float2 *in, global const float2 *roots, int rootsAt,
                    global float2 *out) {
  int j = get_global_id(0), k = j & (length - 1);
  float2 v[RADIX];
  for (int i = 0; i < RADIX; ++i)
    v[i] = in[j + i * (n / RADIX)];
  fftTwiddle(v, roots[rootsAt + k]);
  fft16(v);
  global float2 *to = out + (j - k) * RADIX + k;
  for (int i = 0; i < RADIX; ++i)
    to[(i / 4 + i % 4 * 4) * length] = v[i];
}
