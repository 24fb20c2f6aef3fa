// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in the default streams of two devices, without races of their own.
// RUN: %heddle cc %s -o %t && env HEDDLE_DEVICE=cpu,cpu %check --tool racecheck %s %t
constexpr int N = 256;

__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void change(int *a) { a[threadIdx.x] = 2; } // error: race-write-write
__global__ void changeLater(int *a) { a[threadIdx.x] = 2; }

int main() {
  int *a;
  cudaMallocManaged(&a, N * sizeof(int));
  fill<<<1, N>>>(a);
  cudaSetDevice(1);
  change<<<1, N>>>(a);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaDeviceSynchronize();

  fill<<<1, N>>>(a);
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  changeLater<<<1, N>>>(a);
  return cudaDeviceSynchronize();
}
