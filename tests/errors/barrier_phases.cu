// RUN: %heddle cc -o %t %s
// RUN: %t 2>&1 | FileCheck %s
// CHECK: ========= threads of a warp arrive at a barrier in different phases (HEDDLE_WIDTH=1 lets each go by itself) in
// CHECK-SAME: kernel tooMany()
// CHECK-NEXT: at {{.*}}barrier_phases.cu:[[#@LINE+18]]
// CHECK: the host goes on
// CHECK-NOT: got
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More threads arrive than a barrier's phase takes, and all of them wait: which of them wait for which phase is open.
#include "lost.h"

#include <cuda_awbarrier_primitives.h>

__global__ void tooMany() {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, 16);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token))
    ;
}

int main() {
  tooMany<<<1, 32>>>();
  return expectLost(cudaErrorLaunchFailure);
}
