// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that race and lie outside of their object, too, in part or as a whole: memcheck tells of
// those outside, and racecheck of all others.
// RUN: %heddle cc %s -o %t && %check --tool memcheck,racecheck --print-level info %s %t
__global__ void outside(int *p, int *q, int n) {
  p[n] = threadIdx.x; // error: out-of-bounds-access
  q[0] = threadIdx.x; // error: race-write-write
}
__global__ void outsideInPart(int *p, int n) {
  p[threadIdx.x / 2 + n - 8] = threadIdx.x; // error: race-write-write, out-of-bounds-access
}
__global__ void outsideInRow(int *p, int n) {
  int *at = p + threadIdx.x;
  at[n] = blockIdx.x; // error: race-write-write, out-of-bounds-access
}
__global__ void inShared(int *out, int n) {
  __shared__ int a[32], b[32];
  a[n] = threadIdx.x; // error: out-of-bounds-access
  __syncthreads();
  b[threadIdx.x / 2] = threadIdx.x; // error: race-write-write
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x % 2] + b[threadIdx.x / 2];
}
__global__ void right(int *p, int n) {
  if (threadIdx.x == 0)
    p[n - 1] = 1;
  p[threadIdx.x % (n - 1)] = 1; // info: race-same-value
}

int main() {
  int *p, *q;
  cudaMalloc(&p, 64);
  cudaMalloc(&q, 128);
  cudaMemset(p, 0, 64);
  outside<<<1, 32>>>(p, q, 16);
  outsideInPart<<<1, 32>>>(p, 16);
  outsideInRow<<<2, 32>>>(p, 0);
  inShared<<<1, 32>>>(q, 32);
  right<<<1, 32>>>(p, 16);
  return cudaDeviceSynchronize();
}
