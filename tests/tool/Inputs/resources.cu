// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void local(float *p, int i) {
  float a[64];
  for (int k = 0; k < 64; ++k)
    a[k] = p[k];
  a[i] = 3;
  for (int k = 0; k < 64; ++k)
    p[k] += a[(k * i) & 63];
}

__global__ void numbered(float *p) {
  __shared__ float tile[128];
  tile[threadIdx.x] = p[threadIdx.x];
  __barrier_sync(3);
  p[threadIdx.x] = tile[127 - threadIdx.x];
}
