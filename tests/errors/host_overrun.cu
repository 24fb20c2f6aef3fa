// RUN: %nvcc %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: not --crash env HEDDLE_GUARD=error %t
// RUN: env HEDDLE_GUARD=0 %t 2>&1 | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// Host code that writes a little behind managed memory, which passes on a machine with a GPU. The
// memory beside it stays as it was.
#include <cstdio>

int main() {
  const int n = 300;
  int *first, *second;
  cudaMallocManaged(&first, n * sizeof(int));
  cudaMallocManaged(&second, n * sizeof(int));
  for (int i = 0; i < n; ++i)
    second[i] = i;
  for (volatile int i = 0; i < 2 * n; ++i)
    first[i] = -1;
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += second[i] != i;
  cudaError_t error = cudaDeviceSynchronize();
  fflush(stderr);
  printf("%s, %d wrong\n", cudaGetErrorName(error), wrong);
  cudaFree(first);
  cudaFree(second);
}

// CHECK: ========= warning: host code writes memory that it has not allocated
// CHECK-NEXT: in the program (
// CHECK-NEXT: is {{[0-9]+}} bytes after an allocation of 1200 bytes at 0x
// CHECK-NEXT: HEDDLE_GUARD=error ends the program
// CHECK-NOT: =====
// CHECK: cudaSuccess, 0 wrong
// OFF-NOT: =====
// OFF: cudaSuccess, 0 wrong
