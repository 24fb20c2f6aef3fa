// RUN: %heddle cc %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: %all %at(32) %t 2>&1 | FileCheck %s
// RUN: %at(1,8) %t
// RUN: %all %at(16) %t
// CHECK: warning: divergent barrier: 16 of 32 live threads of a warp reach it; {{.*}} in kernel sumInside
// CHECK-NEXT: at {{.*}}divergent_barriers.cu:[[#@LINE+20]]
// CHECK-NEXT: by thread (0,0,0) in block ({{[0-4]}},0,0), and 15 more of its warp
// CHECK-NOT: in kernel sumInside
// CHECK: all right
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that only some threads of a warp reach. CUDA leaves open what happens; an H100 gives these results, and many
// programs count on them: the sum with the barrier inside of the condition is a common mistake.
#include "support.h"

__global__ void sumInside(int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2)
    if (t < half) {
      s[t] += s[t + half];
      __syncthreads();
    }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

/// The first n threads exchange their numbers, the others go around.
__global__ void firstOnes(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < n) {
    s[t] = t;
    __syncthreads();
    out[t] = s[n - 1 - t];
  } else {
    out[t] = -1;
  }
  out[t] += 1000;
}

/// A barrier in each arm.
__global__ void bothArms(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t % 2) {
    s[t] = t;
    __syncthreads();
    out[t] = s[t ^ 2];
  } else {
    s[t] = 2 * t;
    __syncthreads();
    out[t] = s[t ^ 2];
  }
}

int main() {
  Buffer<int> out(64);
  for (int threads : {64, 256}) {
    sumInside<<<5, threads>>>(out);
    checkLaunch();
    for (int block = 0; block < 5; block++)
      expect("sum", block, out.get()[block], threads * (threads - 1) / 2);
  }
  for (int n : {48, 40, 7}) {
    firstOnes<<<1, 64>>>(out, n);
    checkLaunch();
    for (int t = 0; t < 64; t++)
      expect("first ones", t, out.get()[t], 1000 + (t < n ? n - 1 - t : -1));
  }
  bothArms<<<1, 64>>>(out);
  checkLaunch();
  for (int t = 0; t < 64; t++)
    expect("both arms", t, out.get()[t], t % 2 ? t ^ 2 : 2 * (t ^ 2));
  return finish();
}
