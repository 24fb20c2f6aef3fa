// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch finds in L2 is what the one before it touched: not the kernel counts, but its memory.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_TIMING=model %t | FileCheck %s
#include <cstdio>

__global__ void copy(float *to, const float *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void scale(float *to, const float *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 2 * from[i];
}

constexpr int N = 2 << 20;

template <typename F> float timeOf(F *kernel, float *to, const float *from) {
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
  float *a, *b, *c, *d;
  for (float **array : {&a, &b, &c, &d})
    cudaMalloc(array, N * sizeof(float));
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
