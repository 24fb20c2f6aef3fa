// HARDWARE: undefined
// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t 2>&1 | FileCheck %s
// CHECK: deadlock in kernel stuck{{.*}}: no thread of block ({{[45]}},0,0) can go on
// CHECK: threads {{.*}}: waits at a cluster barrier at {{.*}}cluster_deadlock.cu:[[#@LINE+14]]
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In one cluster a warp waits for its block where the others wait for the cluster: reported, not a hang.
#include "lost.h"

__global__ void __cluster_dims__(2, 1, 1) stuck(int *out) {
  if (blockIdx.x == 5 && threadIdx.x < 32)
    __barrier_sync_count(3, 128);
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
  int *out = nullptr;
  if (cudaMalloc(&out, 6 * 64 * sizeof(int)) != cudaSuccess)
    return 2;
  stuck<<<6, 64>>>(out);
  return expectLost(cudaErrorLaunchFailure);
}
