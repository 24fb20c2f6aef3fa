// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that poll by votes for a block that is started later.
#include "support.h"
constexpr int Blocks = 64;

/// Each block waits for the one behind it.
__global__ void chain(volatile int *flags, int *order) {
  int lane = threadIdx.x % 32;
  if (blockIdx.x + 1 < gridDim.x)
    while (__any_sync(~0u, lane < 4 && flags[blockIdx.x + 1] == 0))
      ;
  __syncthreads();
  if (threadIdx.x == 0) {
    order[blockIdx.x] = atomicAdd(order + Blocks, 1);
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}

int main() {
  Buffer<int> flags(Blocks), order(Blocks + 1);
  chain<<<Blocks, 64>>>(flags, order);
  checkLaunch();
  for (int i = 0; i < Blocks; ++i)
    expect("order", i, order.get()[i], Blocks - 1 - i);
  return finish();
}
