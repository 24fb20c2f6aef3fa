// RUN: %heddle cc -o %t %s
// RUN: %widths(32) %t 2>&1 | FileCheck %s
// CHECK: invalid global read in kernel rows(float*, float const*, int, int)
// CHECK-NEXT: faults_cut_rows.cu:[[#@LINE+13]]
// CHECK-NEXT: by thread (184,0,0) in block (11,0,0)
// CHECK: an illegal memory access was encountered
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that faults is named where a call runs several blocks as one range that is cut where rows end.
#include <cstdio>

__global__ void rows(float *out, const float *in, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[size_t(i / w) * w + i % w + (i == 3000 ? 1ull << 40 : 0)];
}

int main() {
  constexpr int N = 5000;
  float *in, *out;
  cudaMalloc(&in, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  rows<<<(N + 255) / 256, 256>>>(out, in, N, 100);
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
