// --seed: another order of blocks and warps, the same each time.
// RUN: %heddle cc %s -o %t
// RUN: %heddle check --tool racecheck --seed 1 %t > %t.1 2>&1
// RUN: %heddle check --tool racecheck --seed 1 %t > %t.again 2>&1 && diff %t.1 %t.again
// RUN: %heddle check --tool racecheck --seed 2 %t > %t.2 2>&1 && not diff %t.1 %t.2
// RUN: FileCheck %s < %t.1
// CHECK: blocks{{( [0-9]+)+}}
// CHECK-NEXT: warps{{( [0-9]+)+}}
// CHECK-NEXT: 120 496
// CHECK: ERROR SUMMARY: 0 errors
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
__global__ void order(int *blocks, int *warps, int *counts) {
  if (threadIdx.x == 0)
    blocks[atomicAdd(&counts[0], 1)] = blockIdx.x;
  __syncthreads();
  if (blockIdx.x == 3 && threadIdx.x % 32 == 0)
    warps[atomicAdd(&counts[1], 1)] = threadIdx.x / 32;
}

int main() {
  int *memory, host[64] = {};
  cudaMalloc(&memory, sizeof(host));
  cudaMemset(memory, 0, sizeof(host));
  order<<<16, 1024>>>(memory, memory + 16, memory + 48);
  cudaMemcpy(host, memory, sizeof(host), cudaMemcpyDeviceToHost);
  int sums[2] = {};
  printf("blocks");
  for (int i = 0; i < 16; i++, sums[0] += host[i - 1])
    printf(" %d", host[i]);
  printf("\nwarps");
  for (int i = 16; i < 48; i++, sums[1] += host[i - 1])
    printf(" %d", host[i]);
  printf("\n%d %d\n", sums[0], sums[1]);
  return 0;
}
