// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without memcheck a wild store ends its block and no other, so that races are found whoever is first.
// RUN: %heddle cc %s -o %t && %check --tool racecheck --report-api-errors no --exit 1 %s %t
// The last blocks' go far away; the first ones' all meet.
__global__ void wild(int *p, long far) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long at = blockIdx.x < 8 ? 0 : far;
  p[at] = i; // error: race-write-write
  if (threadIdx.x == 0)
    p[8 + blockIdx.x / 2] = i; // error: race-write-write
}

int main() {
  int *p;
  cudaMalloc(&p, 4096);
  wild<<<64, 32>>>(p, 1l << 40);
  return cudaDeviceSynchronize() != cudaSuccess;
}
