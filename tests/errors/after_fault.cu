// HARDWARE: undefined
// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: faults
// CHECK: reset brings the device back
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a fault cudaDeviceReset makes the device usable again.
#include "lost.h"

__global__ void faults(int *p) { *p = 1; }
__global__ void works(int *p) { *p = 7; }

int main() {
  faults<<<1, 1>>>(nullptr);
  if (expectLost(cudaErrorIllegalAddress))
    return 1;
  if (cudaDeviceReset() != cudaSuccess)
    return 2;
  int *p = nullptr, value = 0;
  if (cudaMalloc(&p, sizeof *p) != cudaSuccess)
    return 3;
  works<<<1, 1>>>(p);
  if (cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess || value != 7)
    return 4;
  std::printf("reset brings the device back\n");
}
