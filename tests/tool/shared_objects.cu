// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: echo '__device__ inline unsigned lane() { unsigned r; asm("mov.u32 %%0, %%laneid;" : "=r"(r)); return r; }' > lane.h
// RUN: %nvcc -I. %s -o program && ./program
// RUN: not %nvcc -I. -DWRONG %s -o program 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects in shared memory whose constructors do something, which nobody calls; and a header whose asm has one percent
// sign before a register's name. Messages are of the text that the user wrote.
#include <cstdio>
#include <lane.h>

struct Counter {
  int count = 5;
  __device__ Counter() : count(7) {}
  __device__ ~Counter() { count = 9; }
};
template <class T, int N> struct Pair {
  T first[N], second = T(3);
};

template <class T> __global__ void sums(int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Counter counter; // the place in the line and the lines stay
  __shared__ alignas(16) Pair<T, 2> one, several[2][3];
  if (threadIdx.x == 0) {
    counter.count = 1;
    one.first[1] = 20;
    several[1][2].second = 300;
  }
  __syncthreads();
  atomicAdd(&counter.count, int(lane() < 32));
  __syncthreads();
  auto sum = [] { return counter.count + int(one.first[1]) + int(several[1][2].second); };
  out[threadIdx.x] = sum();
#ifdef WRONG
  int x = "text"; // CHECK: shared_objects.cu:[[@LINE]]:7: error: cannot initialize a variable of type 'int'
#endif
}

/// Of these clang shows one after the other.
template <int Kind> __global__ void branches(int *out) {
  if (Kind == 0) {
    out[0] = 1;
  } else if (Kind == 1) {
    __shared__ Pair<int, 3> pair;
    pair.second = 5;
    out[1] = pair.second;
  } else {
    __shared__ Counter counter;
    counter.count = 20;
    out[2] = counter.count;
  }
}

int main() {
  int *out, wrong = 0;
  cudaMallocManaged(&out, 64 * sizeof *out);
  sums<float><<<1, 64>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; i++)
    wrong += out[i] != 385;
  branches<0><<<1, 1>>>(out);
  branches<1><<<1, 1>>>(out);
  branches<2><<<1, 1>>>(out);
  cudaDeviceSynchronize();
  wrong += out[0] + out[1] + out[2] != 26;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
