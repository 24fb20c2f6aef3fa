// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of lanes that begin in shared memory and go on behind it, without memcheck: what is behind has no
// records.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t
// RUN: %check --tool initcheck,racecheck %s %t
__global__ void inRow(int *p, int n) {
  __shared__ int s[32];
  s[threadIdx.x + n] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x + 16];
}
__global__ void inDynamicRow(char *p, int n) {
  extern __shared__ char d[];
  d[threadIdx.x + n] = 1;
  __syncthreads();
  p[threadIdx.x] = d[threadIdx.x + n];
}

int main() {
  int *p;
  cudaMalloc(&p, 4096);
  inRow<<<1, 32>>>(p, 16);
  inDynamicRow<<<1, 32, 64>>>(reinterpret_cast<char *>(p), 48);
  inDynamicRow<<<1, 32, 64>>>(reinterpret_cast<char *>(p), 63);
  return cudaDeviceSynchronize();
}
