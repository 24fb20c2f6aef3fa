// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that the compiler makes one of: the first has its line.
// RUN: %heddle cc %s -o %t && %check --tool memcheck %s %t
__global__ void stored(int *p, int n) {
  if (n > 5)
    p[threadIdx.x + 64] = 1; // error: out-of-bounds-access
  else
    p[threadIdx.x + 64] = 2;
}
__global__ void read(const int *p, int *q, int n) {
  int x;
  if (n > 5)
    x = p[threadIdx.x + 64]; // error: out-of-bounds-access
  else
    x = p[threadIdx.x + 64] * 3;
  q[threadIdx.x] = x;
}
__global__ void inside(int *p, int n) {
  if (n > 5)
    p[threadIdx.x + 32] = 1;
  else
    p[threadIdx.x + 32] = 2;
}

int main() {
  int *p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 0, 64 * sizeof(int));
  stored<<<1, 32>>>(p, 3);
  read<<<1, 32>>>(p, p, 3);
  inside<<<1, 32>>>(p, 3);
  return cudaDeviceSynchronize();
}
