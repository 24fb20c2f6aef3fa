// RUN: %heddle cc -o %t %s
// RUN: %t store 2>&1 | FileCheck %s -DKERNEL=store -DLINE=26 -DHOW=write
// RUN: %t load 2>&1 | FileCheck %s -DKERNEL=load -DLINE=29 -DHOW=read
// RUN: %t inlined 2>&1 | FileCheck %s -DKERNEL=inlined -DLINE=36 -DHOW=write
// RUN: %t member 2>&1 | FileCheck %s -DKERNEL=member -DLINE=41 -DHOW=write
// RUN: %t condition 2>&1 | FileCheck %s -DKERNEL=condition -DLINE=45 -DHOW=write
// RUN: %t chosen 2>&1 | FileCheck %s -DKERNEL=chosen -DLINE=51 -DHOW=write
// RUN: %t counted 2>&1 | FileCheck %s -DKERNEL=counted -DLINE=56 -DHOW=write
// RUN: %t summed 2>&1 | FileCheck %s -DKERNEL=summed -DLINE=61 -DHOW=read
// RUN: %t waits 2>&1 | FileCheck %s -DKERNEL=waits -DLINE=67 -DHOW=write
// RUN: env HEDDLE_WIDTH=1 %t waits 2>&1 | FileCheck %s -DKERNEL=waits -DLINE=67 -DHOW=write
// RUN: env HEDDLE_WIDTH=8 %t condition 2>&1 | FileCheck %s -DKERNEL=condition -DLINE=45 -DHOW=write
// RUN: %heddle cc -G -o %t.debug %s
// RUN: %t.debug store 2>&1 | FileCheck %s -DKERNEL=store -DLINE=26 -DHOW=write
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Null pointers that the compiler can see are errors like those that it cannot.
#include "lost.h"

#include <cstring>

__global__ void store(int *out) {
  int *p = nullptr;
  *p = 42;
}
__global__ void load(int *out) {
  out[threadIdx.x] = *(int *)nullptr;
}

struct Node {
  int value;
  Node *next;
};
__device__ void set(Node *node) { node->value = 1; }
__global__ void inlined(int *out) { set(nullptr); }

__global__ void member(int *out) {
  Node *node = nullptr;
  node->next = nullptr;
}
__global__ void condition(int *out) {
  if (out == nullptr)
    *out = 3;
}
__global__ void chosen(int *out) {
  int *p = out;
  for (int i = 0; i < 3; i++)
    p = i < 2 ? nullptr : p;
  *p = int(threadIdx.x);
}
__global__ void counted(int *out) {
  unsigned *p = nullptr;
  if (threadIdx.x % 2)
    atomicAdd(p, 1u);
}
__global__ void summed(int *out) {
  int *p = nullptr;
  for (int i = 0; i < 100; i++)
    p[i] += i;
}
__global__ void waits(int *out) {
  __shared__ int shared[64], *p;
  shared[threadIdx.x] = 1, p = nullptr;
  __syncthreads();
  *(threadIdx.x == 37 ? (int *)nullptr : &shared[threadIdx.x]) = 2;
  __syncthreads();
  out[threadIdx.x] = shared[63 - threadIdx.x];
}

int main(int, char **argv) {
  int *out = nullptr;
  cudaMalloc(&out, 4096);
#define IF(KERNEL, POINTER) \
  if (!strcmp(argv[1], #KERNEL)) \
    KERNEL<<<1, 64>>>(POINTER);
  IF(store, out)
  IF(load, out)
  IF(inlined, out)
  IF(member, out)
  IF(condition, nullptr)
  IF(chosen, out)
  IF(counted, out)
  IF(summed, out)
  IF(waits, out)
  return expectLost(cudaErrorIllegalAddress);
}
// CHECK: ========= invalid global [[HOW]] in kernel [[KERNEL]](int*)
// CHECK-NEXT: null_in_code.cu:[[LINE]]
// CHECK-NEXT: by thread (
// CHECK-NEXT: address 0x{{[08]}} is near no allocation
// CHECK: the host goes on
// CHECK-NOT: got
