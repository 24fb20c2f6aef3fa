// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TAPS 33

kernel void convolve(int n, constant float *weights, global const float *in, global float *out) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < TAPS; ++k)
    sum += weights[k] * in[i + k];
  out[i] = sum;
}
