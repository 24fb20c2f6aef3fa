// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 3.2 (dot product, global memory only).
//
// The device multiplies element by element; the host adds the products.
#include "common.h"

constexpr int Blocks = 32, Threads = 256;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  int i = threadIdx.x + blockIdx.x * Threads;
  while (i < n) {
    c[i] = a[i] * b[i];
    i += Threads * Blocks;
  }
}

static float dot(const std::vector<float> &a, const std::vector<float> &b) {
  int n = int(a.size());
  float *da = toDevice(a), *db = toDevice(b), *dc = zerosOnDevice<float>(n);
  EventTimer timer;
  multiply<<<Blocks, Threads>>>(da, db, dc, n);
  std::vector<float> products = toHost(dc, n);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  float sum = 0;
  for (float product : products)
    sum += product;
  CUDA_CHECK(cudaFree(da));
  CUDA_CHECK(cudaFree(db));
  CUDA_CHECK(cudaFree(dc));
  return sum;
}

int main() {
  for (int n : {1, 255, 257, Blocks * Threads, 33 * 1024, 100001}) {
    std::vector<float> a = wholeNumbers<float>(n, 6, 11), b = wholeNumbers<float>(n, 6, 12);
    double want = 0;
    for (int i = 0; i < n; ++i)
      want += double(a[i]) * b[i];
    float got = dot(a, b);
    check(got == want, "dot product of %d elements: %g", n, got);
  }
  // 0*0 + 1*2 + 2*4 + ... = 2 * (sum of squares), the course's own check
  std::vector<float> a(33 * 1024), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = float(i);
    b[i] = float(2 * i);
  }
  double x = double(a.size() - 1), want = 2 * (x * (x + 1) * (2 * x + 1) / 6);
  check(close(dot(a, b) / want, 1, 1e-4), "twice the sum of squares up to %g", x);
  return exitCode();
}
