// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels.cu and parts.cu have of each other: variables of all kinds, functions, a kernel, a template, a class
// with virtual functions, a pointer to a function.
#pragma once

#include <cuda_runtime.h>

extern __device__ int deviceVariable;
extern __constant__ float table[16];
extern __managed__ int managed;

__device__ int helper(int);
__global__ void remote(int *out, int x);

template <class T> __device__ T counted(T x) {
  static __device__ int calls;
  atomicAdd(&calls, 1);
  return x + (calls < 0);
}

struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override;
};
__device__ Shape *makeSquare(int side);

using Function = int (*)(int);
extern __device__ Function functionPointer;
