// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void kernel(float *x) {
  unsigned i = threadIdx.x, next;
  asm("add.u32 %0, %1, 1;" : "=r"(next) : "r"(i));
  x[i] = cbrtf(x[next]);
}

int main() {
  float *x;
  cudaMalloc(&x, 65 * sizeof(float));
  kernel<<<1, 64>>>(x);
  return cudaDeviceSynchronize();
}
