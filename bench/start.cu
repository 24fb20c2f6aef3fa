// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector addition, for the time that `heddle run` needs to start a program (start.py).
#include "memory.h"

#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int n, const float *a, const float *b, float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main(int count, char **) {
  const int n = 1000;
  float host[n], *a, *b, *c;
  for (int i = 0; i < n; ++i)
    host[i] = i;
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMalloc(&c, sizeof(host));
  cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(n, a, b, c);
  cudaMemcpy(host, c, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (host[i] != 2 * i) {
      printf("wrong at %d: %g\n", i, host[i]);
      return 1;
    }
  if (count > 1)
    printPeakMemory();
}
