// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %smid and %nsmid where the device stands for a board: its multiprocessors, which get blocks in turn, with times of the
// model and without. Otherwise %smid is less than %nsmid.
//
// RUN: %heddle cc -O2 %s -o %t
// RUN: env HEDDLE_DEVICE=k20 %t | FileCheck %s --check-prefix=K20
// RUN: env HEDDLE_DEVICE=k20 HEDDLE_TIMING=model %t | FileCheck %s --check-prefix=K20
// RUN: %t | FileCheck %s
#include <cstdio>

__global__ void where(unsigned *at, unsigned *all) {
  unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  if (threadIdx.x)
    return;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(at[block]));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(*all));
}

int main() {
  constexpr int Blocks = 30;
  unsigned *at, *all;
  cudaMallocManaged(&at, Blocks * sizeof(unsigned));
  cudaMallocManaged(&all, sizeof(unsigned));
  where<<<dim3(10, 3), 64>>>(at, all);
  cudaDeviceSynchronize();
  bool isLess = true;
  for (int i = 0; i < Blocks; ++i) {
    isLess &= at[i] < *all;
    std::printf("%u ", at[i]);
  }
  // K20: 0 1 2 3 4 5 6 7 8 9 10 11 12 0 1 2 3 4 5 6 7 8 9 10 11 12 0 1 2 3 of 13
  // CHECK: less: 1
  std::printf("of %u\nless: %d\n", *all, isLess);
}
