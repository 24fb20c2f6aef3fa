// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static __constant__ int table[32];
static __device__ int scale = 3;
static __global__ void kernel(int *out) { out[threadIdx.x] = table[threadIdx.x] * scale; }
