// RUN: %heddle cc -arch=sm_80 %s -o %t.80
// RUN: %t.80 0000
// RUN: %heddle cc -arch=sm_90 %s -o %t.90
// RUN: %widths %t.90 3880
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product and a sum of bfloat16 are one fma from sm_90 on. Before, each is rounded: nvcc makes an fma of each of them.
#include <cuda_bf16.h>
#include <cstdio>
#include <cstdlib>

__global__ void kernel(__nv_bfloat16 *a, __nv_bfloat162 *pairs) {
  a[2] = a[0] * a[0] + a[1];
  a[3] = __hadd(a[1], __hmul(a[0], a[0]));
  pairs[2] = pairs[0] * pairs[0] + pairs[1];
}

int main(int, char **arguments) {
  unsigned short *values;
  cudaMallocManaged(&values, 64);
  values[0] = values[8] = values[9] = 0x3f81;   // 1 + 2^-7
  values[1] = values[10] = values[11] = 0xbf82; // minus its square, rounded
  kernel<<<1, 1>>>(reinterpret_cast<__nv_bfloat16 *>(values), reinterpret_cast<__nv_bfloat162 *>(values + 8));
  cudaDeviceSynchronize();
  const unsigned long expected = strtoul(arguments[1], nullptr, 16);
  for (int place : {2, 3, 12, 13})
    if (values[place] != expected)
      return printf("%d: %04x\n", place, values[place]), 1;
  return 0;
}
