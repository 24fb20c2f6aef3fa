// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run -use_fast_math %s | FileCheck %s
//
// Quotients that other operations need, too, are not fused with their differences: where two are the same, the
// difference is 0, as on an H200, so that a hue of 0 does not become 360.
#include <cstdio>

__global__ void hues(const uchar4 *pixels, float *hues, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float r = pixels[i].x / 255.0f, g = pixels[i].y / 255.0f, b = pixels[i].z / 255.0f;
  float most = fmaxf(r, fmaxf(g, b)), range = most - fminf(r, fminf(g, b)), hue = 0;
  if (range > 0) {
    if (most == r)
      hue = (g - b) / range;
    else if (most == g)
      hue = (b - r) / range + 2;
    else
      hue = (r - g) / range + 4;
    if (hue < 0)
      hue += 6;
  }
  hues[i] = 60 * hue;
}

int main() {
  const int n = 64 * 64 * 64;
  uchar4 *pixels;
  float *out;
  cudaMallocManaged(&pixels, n * sizeof *pixels);
  cudaMallocManaged(&out, n * sizeof *out);
  for (int i = 0; i < n; ++i)
    pixels[i] = make_uchar4(i % 64 * 4, i / 64 % 64 * 4, i / 4096 * 4, 0);
  hues<<<n / 256, 256>>>(pixels, out, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += out[i] >= 360 || (pixels[i].y == pixels[i].z && pixels[i].x >= pixels[i].y && out[i] != 0);
  printf("%d wrong\n", wrong); // CHECK: 0 wrong
  return 0;
}
