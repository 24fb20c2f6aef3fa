// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch finds in L2 is what the one before it touched: not the kernel counts, but its memory.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_TIMING=model %t | FileCheck %s
#include <cstdio>

__global__ void copy(float4 *to, const float4 *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void scale(float4 *to, const float4 *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = from[i];
  to[i] = make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w);
}

constexpr int N = 512 << 10; // of 16 bytes each, so that blocks do not bound the time by their number

template <typename F> float timeOf(F *kernel, float4 *to, const float4 *from) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  kernel<<<N / 256, 256>>>(to, from);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  return ms;
}

int main() {
  float4 *a, *b, *c, *d;
  for (float4 **array : {&a, &b, &c, &d})
    cudaMalloc(array, N * sizeof(float4));
  const float cold = timeOf(copy, b, a);
  auto tell = [&](const char *what, float ms) {
    printf("%s: %s\n", what, ms < 0.9f * cold ? "from L2" : "from memory");
  };
  tell("again", timeOf(copy, b, a));      // CHECK: again: from L2
  tell("others", timeOf(copy, d, c));     // CHECK: others: from memory
  tell("back", timeOf(copy, c, d));       // CHECK: back: from L2
  tell("and forth", timeOf(copy, d, c));  // CHECK: and forth: from L2
  tell("by another", timeOf(scale, c, d)); // CHECK: by another: from L2
  tell("of others", timeOf(scale, a, b)); // CHECK: of others: from memory
}
