// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.3, figure B.3.4 (SAXPY, serial and parallel).
//
// The serial loop's iterations are independent, so each becomes a thread; the loop variable becomes
// the thread's number, and the loop's bound a check.
#include "common.h"

static void saxpySerial(int n, float alpha, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = alpha * x[i] + y[i];
}

__global__ void saxpyParallel(int n, float alpha, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = alpha * x[i] + y[i];
}

static void run(int n, float alpha) {
  std::vector<float> x = wholeNumbers<float>(n, 1000, 5), y = wholeNumbers<float>(n, 1000, 6);
  float *dx = toDevice(x), *dy = toDevice(y);
  int blocks = (n + 255) / 256;
  saxpyParallel<<<blocks, 256>>>(n, alpha, dx, dy);
  saxpySerial(n, alpha, x.data(), y.data());
  check(same(toHost(dy, n), y), "saxpy of %d elements, alpha %g", n, alpha);
  CUDA_CHECK(cudaFree(dx));
  CUDA_CHECK(cudaFree(dy));
}

int main() {
  for (int n : {1, 31, 255, 256, 257, 1000, 1000000})
    run(n, 2.0f);
  run(777, -0.5f);
  return exitCode();
}
