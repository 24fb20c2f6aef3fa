// RUN: %heddle cc -o %t %s
// RUN: %widths(256) %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_DISABLE=coarsen-blocks-in-x %t 2>&1 | FileCheck %s
// CHECK: invalid global read in kernel blur(unsigned char*, unsigned char const*, int, int)
// CHECK-NEXT: faults_beside.cu:[[#@LINE+16]]
// CHECK-NEXT: by thread ({{[01]}},13,0) in block ({{[0-9]+}},2,0)
// CHECK: an illegal memory access was encountered
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that faults is named where blocks beside each other run as one, whose rows are longer than its block's.
#include <cstdio>

__global__ void blur(unsigned char *out, const unsigned char *in, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  size_t at = size_t(y) * w + x;
  int sum = in[at - 1] + in[at] + in[at + 1] + in[at - w] + in[at + w];
  sum += in[at + (y == 45 ? 1ull << 40 : 2)];
  out[at] = sum / 6;
}

int main() {
  constexpr int W = 400, H = 100;
  unsigned char *in, *out;
  cudaMalloc(&in, W * H);
  cudaMalloc(&out, W * H);
  blur<<<dim3(W / 16, (H + 15) / 16), dim3(16, 16)>>>(out, in, W, H);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
