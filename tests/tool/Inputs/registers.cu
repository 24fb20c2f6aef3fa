// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void few(int *x) { x[threadIdx.x] += 1; }

__device__ void mix(float *x) {
  float v[32];
#pragma unroll
  for (int i = 0; i < 32; ++i)
    v[i] = x[threadIdx.x * 32 + i];
  for (int k = 0; k < 99; ++k)
#pragma unroll
    for (int i = 0; i < 32; ++i)
      v[i] = v[(i + 7) % 32] * x[k] + 1;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i)
    sum += v[i];
  x[threadIdx.x] = sum;
}
__global__ void many(float *x) { mix(x); }
__global__ void __launch_bounds__(256) bounded(float *x) { mix(x); }

#ifdef MAIN
#include <cstdio>
/// What the runtime tells: the counts of the device, and no more than was allowed.
template <class F> int registersOf(F *kernel) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  return attributes.numRegs;
}
int main() { printf("%d %d\n", registersOf(few), registersOf(many)); }
#endif
