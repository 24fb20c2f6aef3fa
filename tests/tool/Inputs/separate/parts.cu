// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common.h"

namespace {
__device__ int privately(int x) { return x + 100; }
__device__ int state = 50;
} // namespace
static __device__ int own = 30;

__device__ int deviceVariable = 1;
__constant__ float table[16];
__managed__ int managed = 2;

__device__ int helper(int x) { return counted(x) * 2; }
__device__ int Square::area() const { return side * side; }
__device__ Shape *makeSquare(int side) { return new Square(side); }
__device__ int plus(int x) { return x + privately(0); }
__device__ Function functionPointer = plus;
__global__ void remote(int *out, int x) { *out = x * 3 + (state + own < 0); }
