// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern __device__ int shared_counter;
extern __constant__ float factors[4];

__device__ int helper(int x);
__device__ float scaled(float x, int which);
__global__ void otherKernel(int *out);

struct Base {
  __device__ virtual int value() const = 0;
};
__device__ Base *makeBase(void *memory, int kind);

typedef int (*Callback)(int);
__device__ int callBack(Callback f, int x);
