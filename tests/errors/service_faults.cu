// RUN: %heddle cc -o %t %s
// RUN: %widths %t print 2>&1 | FileCheck %s -DKERNEL=print -DLINE=24 --check-prefixes=CHECK,ADDRESS
// RUN: %widths %t printOne 2>&1 | FileCheck %s -DKERNEL=printOne -DLINE=30 --check-prefixes=CHECK,ADDRESS
// RUN: %widths %t format 2>&1 | FileCheck %s -DKERNEL=format -DLINE=34 --check-prefixes=CHECK,ADDRESS
// RUN: %widths %t freeOther 2>&1 | FileCheck %s -DKERNEL=freeOther -DLINE=39 --check-prefixes=CHECK,FREE
// RUN: %widths %t freeTwice 2>&1 | FileCheck %s -DKERNEL=freeTwice -DLINE=45 --check-prefixes=CHECK,FREE
// RUN: %widths %t inlined 2>&1 | FileCheck %s -DKERNEL=inlined -DLINE=48 --check-prefixes=CHECK,FREE
// RUN: %heddle cc -G -o %t.debug %s
// RUN: %t.debug print 2>&1 | FileCheck %s -DKERNEL=print -DLINE=24 --check-prefixes=CHECK,ADDRESS
// RUN: %t.debug inlined 2>&1 | FileCheck %s -DKERNEL=inlined -DLINE=48 --check-prefixes=CHECK,FREE
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HARDWARE: undefined (free of what malloc did not give)
// What a kernel gives to printf and free is wrong: the report names the line of the call, though the fault is in a
// function of the runtime, deep in the C library.
#include "lost.h"

#include <cstring>

__global__ void print(const char *text, int which) {
  if (threadIdx.x == which)
    printf("%d %s %f\n", which, text, 1.0);
}

__global__ void printOne(const char *text, int which) {
  const char *mine = threadIdx.x == which ? text : "good";
  for (int i = 0; i < 2; i++)
    printf("[%s]\n", mine);
}
__global__ void format(const char *text, int which) {
  if (threadIdx.x == which)
    printf(text, which);
}

__global__ void freeOther(const char *, int which) {
  __shared__ int shared[4];
  free(threadIdx.x == which ? shared : nullptr);
}

__global__ void freeTwice(const char *, int which) {
  void *p = malloc(16);
  free(p);
  free(threadIdx.x == which ? p : nullptr);
}

__device__ void drop(void *p) { free(p); }
__global__ void inlined(const char *, int which) {
  if (threadIdx.x >= which)
    drop((void *)0x7fdeadbe0000ull);
}

int main(int, char **argv) {
  const char *wild = reinterpret_cast<const char *>(0x7fdeadbe0000ull);
  bool prints = false;
#define IF(KERNEL, PRINTS) \
  if (!strcmp(argv[1], #KERNEL)) \
    KERNEL<<<PRINTS ? 2 : 1, 64>>>(wild, 35), prints = PRINTS; // another block may get what is freed twice
  IF(print, true)
  IF(printOne, true)
  IF(format, true)
  IF(freeOther, false)
  IF(freeTwice, false)
  IF(inlined, false)
  return expectLost(prints ? cudaErrorIllegalAddress : cudaErrorLaunchFailure);
}
// ADDRESS: ========= invalid global read in kernel [[KERNEL]](
// FREE: ========= free of {{.*}} in kernel [[KERNEL]](
// CHECK-NEXT: service_faults.cu:[[LINE]]
// CHECK-NEXT: by thread ({{35|36|37|38|39|[4-6][0-9]}},0,0) in block (
// CHECK: the host goes on
// CHECK-NOT: got
