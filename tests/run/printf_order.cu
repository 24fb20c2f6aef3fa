// RUN: %nvcc %s -o %t
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_CPU=x86-64-v2 %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of a warp come together before they print, whatever they did before: what thread 0 prints
// alone stands in front of what all print, in the order of the lanes.
#include <cstdio>

__global__ void lines(const int *values) {
  int tid = threadIdx.x;
  if (tid == 0)
    printf("threads: ");
  printf("%d ", tid);
  if (tid == 0)
    printf("end\n");
  int value = values[tid];
  if (value > 5)
    printf("large ");
  else
    value += 10;
  printf("%d ", value);
  if (tid == 15)
    printf("end\n");
}

int main() {
  int *values;
  cudaMallocManaged(&values, 16 * sizeof(int));
  for (int i = 0; i < 16; ++i)
    values[i] = i * 7 % 16;
  lines<<<1, 16>>>(values);
  return cudaDeviceSynchronize() != cudaSuccess;
}

// CHECK: threads: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 end
// CHECK-NEXT: large large large large large large large large large large 10 7 14 15 12 13 10 11 8 15 6 13 14 11 12 9 end
