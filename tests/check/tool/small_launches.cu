// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one block in a row, which one worker may run in one go: each tells what it has found.
// RUN: %heddle cc %s -o %t && %check --tool memcheck %s %t
__global__ void good(int *p) { p[0] += 1; }
template <int Place> __global__ void one(int *p) {
  if (Place == 4)
    p[4] = 1; // error: out-of-bounds-access
  if (Place == 5)
    p[5] = 1; // error: out-of-bounds-access
  if (Place == 6)
    p[6] = 1; // error: out-of-bounds-access
}

int main() {
  int *p;
  cudaMalloc(&p, 4 * sizeof(int));
  cudaMemset(p, 0, 4 * sizeof(int));
  for (int i = 0; i < 100; ++i) {
    good<<<1, 1>>>(p);
    if (i == 20)
      one<4><<<1, 1>>>(p);
    if (i == 50)
      one<5><<<1, 1>>>(p);
    if (i == 99)
      one<6><<<1, 1>>>(p);
  }
  bool isRight = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(p);
  return !isRight;
}
