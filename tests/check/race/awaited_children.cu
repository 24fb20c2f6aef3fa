// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that waits for its children, as older devices let it.
// RUN: %heddle cc -g -rdc=true -arch=sm_60 %s -o %t && %check --tool racecheck,memcheck %s %t
constexpr int N = 64;
template <int> __global__ void add(int *a) {
  a[threadIdx.x] += 1; // error: race-read-write
}
template <int> __global__ void right(int *a) { a[threadIdx.x] += 1; }

__global__ void awaited(int *a, int *to) {
  a[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    right<0><<<1, N>>>(a);
    cudaDeviceSynchronize();
  }
  __syncthreads();
  to[threadIdx.x] = a[threadIdx.x];
}
__global__ void notAwaited(int *a, int *to) {
  a[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 0)
    add<1><<<1, N>>>(a);
  __syncthreads();
  to[threadIdx.x] = a[threadIdx.x];
}

int main() {
  int *a, *to;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&to, N * sizeof(int));
  awaited<<<1, N>>>(a, to);
  notAwaited<<<1, N>>>(a, to);
  return cudaDeviceSynchronize();
}
