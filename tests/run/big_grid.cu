// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large grids: all of x's, y's and z's limits, block numbers beyond 16 bits, 4 million blocks in all.
#include "support.h"

__global__ void corner(unsigned *out) {
  if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && blockIdx.z == gridDim.z - 1)
    out[0] = blockIdx.x, out[1] = blockIdx.y, out[2] = blockIdx.z, out[3] = gridDim.x;
}
__global__ void count(unsigned long long *sum) {
  if (threadIdx.x == 0 && (blockIdx.x & 1023) == 1023)
    atomicAdd(sum, (unsigned long long)(blockIdx.x));
}

int main() {
  Buffer<unsigned> out(4);
  for (dim3 grid : {dim3(1, 65535, 60), dim3(60, 1, 65535), dim3(3000000), dim3(1, 65535), dim3(2, 3, 65535)}) {
    corner<<<grid, 1>>>(out);
    checkLaunch();
    expectAll("corner", out.get(), {grid.x - 1, grid.y - 1, grid.z - 1, grid.x});
  }
  Buffer<unsigned long long> sum(1);
  count<<<4096 * 1024, 2>>>(sum);
  checkLaunch();
  unsigned long long want = 0;
  for (unsigned long long b = 1023; b < 4096 * 1024; b += 1024)
    want += b;
  expect("sum of block numbers", 0, sum.get()[0], want);
  return finish();
}
