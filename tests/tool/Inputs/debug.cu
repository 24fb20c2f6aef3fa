// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__device__ int twice(int v) {
  return v * 2;
}

__global__ void square(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int square = i * i;
  if (i < n)
    p[i] = square + twice(i);
}

__global__ void reverse(int *p) {
  __shared__ int tile[32];
  int i = threadIdx.x;
  tile[i] = i;
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    int other = tile[31 - i];
    __syncthreads();
    int mine = other;
    tile[i] = mine;
  }
  p[i] = tile[i];
}

int main() {
  int *d, h[64];
  cudaMalloc(&d, sizeof(h));
  square<<<2, 32>>>(d, 64);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d ", h[63]);
  reverse<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d\n", h[31]);
}
