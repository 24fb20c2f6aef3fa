// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that calls SLEEF. Prints what its launches give.
#include <cmath>
#include <cstdio>

__global__ void sines(float *x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }

int main() {
  float values[64], *x;
  for (int i = 0; i < 64; i++)
    values[i] = i;
  cudaMalloc(&x, sizeof(values));
  cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice);
  for (int launch = 0; launch < 2; launch++) {
    cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice);
    sines<<<1, 64>>>(x);
    cudaError_t error = cudaGetLastError();
    printf("launch: %s\n", cudaGetErrorName(error));
    if (error != cudaSuccess)
      continue;
    float result[64];
    cudaMemcpy(result, x, sizeof(result), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 64; i++)
      right &= std::fabs(result[i] - std::sin(float(i))) < 1e-6f;
    printf("sines are %s\n", right ? "right" : "wrong");
  }
}
