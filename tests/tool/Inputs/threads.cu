// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
__device__ int twice(int v) {
  int result = v * 2;
  return result;
}

__global__ void scale(int *p) {
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  int i = blockIdx.x * blockDim.x * blockDim.y + thread;
  int mine = twice(i);
  if (i >= 0)
    mine = mine / 4 * 4 + i % 2;
  p[i] = mine;
}

__global__ void reverse(int *p) {
  __shared__ int tile[32];
  int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  int other = tile[31 - i];
  p[i] += other;
}

int main() {
  int *d, h[128], sum = 0;
  cudaMalloc(&d, sizeof(h));
  scale<<<4, dim3(8, 4)>>>(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  for (int i = 96; i < 128; ++i)
    sum += h[i];
  printf("%d ", sum);
  reverse<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += h[i];
  printf("%d\n", sum);
}
