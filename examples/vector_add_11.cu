// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 2.2 (vector addition, one block of one thread).
//
// One device thread does the whole loop, as a C function would. Around it: device memory, copies
// there and back, and two events that measure the time on the device.
#include "common.h"

__global__ void add(const int *a, const int *b, int *c, int n) {
  int i = 0;
  while (i < n) {
    c[i] = a[i] + b[i];
    i += 1; // the only thread there is
  }
}

static void run(int n) {
  std::vector<int> a(n), b(n), c(n), want(n);
  for (int i = 0; i < n; ++i) {
    a[i] = 3 * i;
    b[i] = 7 - i % 1000 * (i % 1000);
    want[i] = a[i] + b[i];
  }
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start, 0));

  int *deviceA, *deviceB, *deviceC;
  CUDA_CHECK(cudaMalloc((void **)&deviceA, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc((void **)&deviceB, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc((void **)&deviceC, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(deviceA, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(deviceB, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  add<<<1, 1>>>(deviceA, deviceB, deviceC, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), deviceC, n * sizeof(int), cudaMemcpyDeviceToHost));

  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop)); // the host runs ahead of the device
  float milliseconds = -1;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::printf("time: %.3f ms\n", milliseconds);

  CUDA_CHECK(cudaFree(deviceA));
  CUDA_CHECK(cudaFree(deviceB));
  CUDA_CHECK(cudaFree(deviceC));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  check(same(c, want), "sum of two vectors of %d elements", n);
  check(milliseconds > 0, "the events measured a time");
}

int main() {
  for (int n : {1, 100, 4097, 100000})
    run(n);
  return exitCode();
}
