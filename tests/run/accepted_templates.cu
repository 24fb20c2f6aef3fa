// RUN: %heddle cc %s -o %t
// RUN: %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc and g++ take in templates, beyond the language: a default argument of a member that its class does not have.
#include <cstdio>

template <class T, int Kind> struct Map;
template <class T> struct Map<T, 3> {
  __host__ __device__ T load(int flag);
};
template <class T> __host__ __device__ T Map<T, 3>::load(int flag = 0) { return T(flag); }

__global__ void kernel(int *to) { *to = Map<int, 3>().load(7); }

int main() {
  int *number;
  cudaMallocManaged(&number, sizeof(int));
  kernel<<<1, 1>>>(number);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", *number, Map<int, 3>().load(5));
  // CHECK: 7 5
}
