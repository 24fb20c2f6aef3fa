// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for old devices define functions that later ones have, with the same parameters and any result. Theirs are
// taken; without them ours are. CUDA guide, "Atomic Functions".
//
// RUN: %nvcc -arch=sm_52 %s -o %t && %t
// RUN: %nvcc -gencode arch=compute_52,code=sm_52 -gencode arch=compute_70,code=sm_70 -DBELOW=700 %s -o %t
// RUN: env HEDDLE_DEVICE=k20 %t
// RUN: %nvcc -arch=sm_80 %s -o %t && %t
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifndef BELOW
#define BELOW 610
#endif

__device__ int calls = 0;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < BELOW
__device__ void atomicAdd(double *p, double v) {
  auto word = (unsigned long long *)p;
  unsigned long long seen = *word, before;
  do
    before = seen, seen = atomicCAS(word, before, __double_as_longlong(v + __longlong_as_double(before)));
  while (seen != before);
  atomicAdd(&calls, 1);
}
__device__ inline long long atomicMax(long long *p, long long v) {
  atomicAdd(&calls, 1);
  return (long long)atomicMax((unsigned long long *)p, (unsigned long long)v);
}
static __device__ __forceinline__ void atomicAdd(__half *p, __half v) {
  *p = __hadd(*p, v);
  atomicAdd(&calls, 1);
}
__device__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  atomicAdd(&calls, 1);
  return *p = v;
}
__device__ int __dp4a(int a, int b, int c) {
  atomicAdd(&calls, 1);
  return a * b + c;
}
__device__ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  atomicAdd(&calls, 1);
  return low >> shift | high << (32 - shift);
}
constexpr int Own = 6;
#else
constexpr int Own = 0;
#endif

struct Results {
  double sum;
  long long most;
  __half half;
  __nv_bfloat162 pair;
  int dot;
  unsigned shifted;
  int calls, own;
};

__global__ void use(Results *r) {
  atomicAdd(&r->sum, 2.5f);
  atomicMax(&r->most, 7);
  atomicAdd(&r->half, __float2half(1));
  atomicAdd(&r->pair, __floats2bfloat162_rn(3, 4));
  r->dot = __dp4a(3, 4, 5);
  r->shifted = __funnelshift_r(0x10, 1, 4);
  r->calls = calls;
  r->own = Own;
}

int main() {
  Results *r;
  cudaMallocManaged(&r, sizeof *r);
  *r = {1, 3, __float2half(0.5f), __floats2bfloat162_rn(0, 0), 0, 0, -1, -1};
  use<<<1, 1>>>(r);
  if (cudaDeviceSynchronize() != cudaSuccess || r->sum != 3.5 || r->most != 7 || __half2float(r->half) != 1.5f ||
      __high2float(r->pair) != 4 || r->dot != 17 || r->shifted != 0x10000001 || r->calls != r->own)
    return printf("wrong: %g %lld %d %x %d %d\n", r->sum, r->most, r->dot, r->shifted, r->calls, r->own), 1;
}
