// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdio>

__global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1000;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    x[i] = i, y[i] = 0.5f * i;
  axpy<<<(n + 127) / 128, 128>>>(n, 0.1f, x, y);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    if (y[i] != std::fma(0.1f, x[i], 0.5f * i))
      return printf("wrong at %d\n", i), 1;
  printf("right\n");
}
