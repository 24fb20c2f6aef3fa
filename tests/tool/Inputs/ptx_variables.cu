// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__constant__ float factors[4] = {1, 2, 3, 4};
__device__ float sum;
__managed__ int count;
__device__ const char *format = "%f\n";

__global__ void power(float *p) {
  __shared__ float tile[64];
  tile[threadIdx.x] = powf(p[threadIdx.x], factors[threadIdx.x & 3]) + expf(p[0]) + float(erfc(double(p[1])));
  __syncthreads();
  atomicAdd(&sum, tile[63 - threadIdx.x]);
  if (atomicAdd(&count, 1) == 0)
    printf(format, sum);
}
