// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle replay: a launch with the memory that it reaches (a list, a matrix by a pointer in a structure, variables, managed
// memory) runs again in another process, where all lies elsewhere. The launch that failed runs again under heddle check,
// which says where it went wrong; on a GPU (here its stand-in) as on the CPU.
//
// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_SAVE_LAUNCH=sum HEDDLE_SAVE_TO=%t.sum %t 2>&1 | FileCheck %s --check-prefix=SAVED
// RUN: %heddle replay --plain %t.sum | FileCheck %s --check-prefix=SUM
// RUN: %heddle replay %t.sum | FileCheck %s --check-prefix=SUM
// RUN: %heddle replay --save sum:2 -o %t.second --save-only %t 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not %heddle replay -o %t.fault %t fault 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so \
// RUN:   not %heddle replay -o %t.fault %t fault 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so \
// RUN:   not %heddle replay -o %t.far %t far 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: %heddle replay -o %t.none %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %heddle replay --save other -o %t.none %t 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: head -c 300 %t.sum > %t.short
// RUN: not %heddle replay --plain %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// What ends at once is noticed.
// RUN: bash -c 'for i in {1..40}; do %heddle replay --plain %t.short; done; true' 2>&1 | FileCheck %s --check-prefix=SHORT

// SAVED: heddle: launch 2, sum({{.*}}), is saved in {{.*}}.sum
// SAVED: total 4465
// SUM: total 4465
// SUM: heddle replay: sum({{.*}}): grid 1 x 1 x 1, block 1 x 1 x 1, {{[0-9]+}} pieces of memory: no error
// SECOND: heddle: launch 3, sum({{.*}}), is saved in {{.*}}.second
// FAULT: invalid global write in kernel overrun
// FAULT: heddle: launch 4, overrun({{.*}}), is saved in {{.*}}.fault
// FAULT: Invalid global write of 4 bytes, in kernel overrun(int*, int)
// FAULT: replay.cu:[[# @LINE + 32]]
// FAULT: is 0 bytes behind an allocation of 128 bytes
// FAR: heddle: launch 4, overrun({{.*}}), is saved in {{.*}}.far
// FAR: Invalid global write of 4 bytes, in kernel overrun(int*, int)
// NONE: heddle replay: no launch ended with an error
// OTHER: the program had no launch other
// SHORT: the saved launch is damaged
#include "../run/support.h"
#include <cstring>

struct Node {
  int value;
  Node *next;
};
struct Work {
  Node *head;
  const int *more;
  int n;
};

__device__ int bias[4];
__constant__ int factor;
__device__ Work *hidden;

__global__ void fill(Node *nodes, int *numbers, int n) {
  int i = threadIdx.x;
  nodes[i] = {i, i + 1 < n ? nodes + i + 1 : nullptr};
  numbers[i] = i;
}

__global__ void overrun(int *p, int n) {
  int i = threadIdx.x;
  p[i + n] = i; // behind its end
}

__global__ void sum(Work work) {
  int total = bias[2];
  for (Node *n = work.head; n; n = n->next)
    total += n->value;
  for (int i = 0; i < hidden->n; ++i)
    total += factor * hidden->more[i];
  printf("total %d\n", total);
}

int main(int argc, char **argv) {
  const int n = 32, two = 8, biases[4] = {1, 2, 1, 4};
  Node *nodes;
  int *numbers;
  Work *other;
  CUDA_OK(cudaMalloc(&nodes, n * sizeof *nodes));
  CUDA_OK(cudaMalloc(&numbers, n * sizeof *numbers));
  CUDA_OK(cudaMallocManaged(&other, sizeof *other));
  *other = {nullptr, numbers, n};
  CUDA_OK(cudaMemcpyToSymbol(bias, biases, sizeof biases));
  CUDA_OK(cudaMemcpyToSymbol(factor, &two, sizeof two));
  CUDA_OK(cudaMemcpyToSymbol(hidden, &other, sizeof other));
  fill<<<1, n>>>(nodes, numbers, n);
  sum<<<1, 1>>>({nodes, numbers, n});
  sum<<<1, 1>>>({nodes + n / 2, nullptr, 0});
  CUDA_OK(cudaDeviceSynchronize());
  if (argc > 1) // a GPU lets small overruns pass
    overrun<<<1, 64>>>(std::strcmp(argv[1], "far") ? numbers : reinterpret_cast<int *>(64), n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
