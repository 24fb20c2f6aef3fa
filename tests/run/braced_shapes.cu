// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Braced lists as shapes of grids and blocks: in functions, members, templates, lambdas, macros and behind other launches.
//
// RUN: %heddle cc %s -o %t && %t
// RUN: %heddle cc -E %s | FileCheck %s --check-prefix=TEXT
// TEXT: <<<{{.*}}dim3{{ *}}{2, 2}
#include "support.h"

__global__ void shape(int *out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y == 0)
    *out = gridDim.x * 100000 + gridDim.y * 10000 + blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
}

template <int N> __global__ void ofTemplate(int *out) {
  if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0)
    *out = N + gridDim.y * 1000 + blockDim.y;
}

#define BLOCK 8
#define LAUNCH(kernel, p) kernel<<<1, {BLOCK, 2}>>>(p)
#define CHECKED(call) call; expectTrue(#call, cudaGetLastError() == cudaSuccess)

struct Later {
  static void run(int *p) { shape<<<{2, 2}, {BLOCK, 4, 1}, 0>>>(p); }
};

template <typename T> void ofType(T *p) { ofTemplate<5><<<{1, 3}, {1, 2}>>>(p); }

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  auto value = [&] {
    cudaDeviceSynchronize();
    return *p;
  };
  dim3 grid(3);
  shape<<<grid, {4, 2, 1}, 0, cudaStream_t{}>>>(p);
  expectTrue("a block", value() == 310421);
  Later::run(p);
  expectTrue("a member", value() == 220841);
  ofType(p);
  expectTrue("a template", value() == 3007);
  LAUNCH(shape, p);
  expectTrue("a macro", value() == 110821);
  CHECKED((shape<<<dim3{1, 2}, {BLOCK}>>>(p)));
  expectTrue("an argument of a macro", value() == 120811);
  [&] { shape<<<{1}, {1, 1, 4}>>>(p), shape<<<{5, 1, 1}, 2>>>(p); }();
  expectTrue("a lambda", value() == 510211);
  return finish();
}
