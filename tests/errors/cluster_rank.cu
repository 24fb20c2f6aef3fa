// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t 2>&1 | FileCheck %s
// CHECK: kernel beyond
// CHECK: cluster_rank.cu:[[#@LINE+14]]
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store to the shared memory of a block that the cluster does not have.
#include "lost.h"
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) beyond(int *out, int rank) {
  __shared__ int variable;
  auto cluster = cooperative_groups::this_cluster();
  *cluster.map_shared_rank(&variable, rank) = 3;
  cluster.sync();
  out[blockIdx.x] = variable;
}

int main() {
  int *out = nullptr;
  if (cudaMalloc(&out, 4 * sizeof(int)) != cudaSuccess)
    return 2;
  beyond<<<4, 1>>>(out, 2);
  return expectLost(cudaErrorIllegalAddress);
}
