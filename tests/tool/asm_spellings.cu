// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asm statements as nvcc takes them: no comma between operands, one percent sign before the name of a register, empty
// lists. They compile and do what they say.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: echo '__device__ inline unsigned own() { unsigned r; asm("mov.u32 %%0, %%warpid;" : "=r"(r)); return r; }' > own.h
// RUN: %nvcc -I. %s -o program && ./program | FileCheck %s
// RUN: not %nvcc -I. -DWRONG %s -o program 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: plain 8
// CHECK-NEXT: sum 2
// CHECK-NEXT: lane and block 34
// CHECK-NEXT: lines 12
#include <cstdio>
#include <own.h>

__global__ void plain(int *p) { *p = 8; }

__global__ void addAsm(int *p, int a) {
  unsigned r;
  asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a) "r"(1));
  *p = r;
}

__global__ void names(int *p) {
  unsigned lane, block;
  asm volatile("mov.u32 %0, %laneid; mov.u32 %1, %ctaid.x;" : "=r"(lane) "=r"(block) :);
  __asm__ __volatile__("membar.gl;" ::: "memory");
  asm("bar.sync 0;");
  asm volatile("bar.sync 0;" : : :);
  if (lane == 31 && block == 3)
    *p = lane + block;
}

/// Lines, declarations, modifiers, and signs that are doubled already.
__global__ void lines(int *p, int a) {
  int r;
  asm("{\n\t.reg .pred %p;\n\t"
      "setp.gt.s32 %p, %1, 4;\n\t"
      "@%p add.s32 %0, %1, %2;\n\t"
      "@!%%p mov.u32 %0, %laneid;\n}\n\t"
      : "=r"(r)
      : "r"(a), "r"(7));
  *p = r + own();
#ifdef WRONG
  asm("mov.u32 %0, %laneid;\n\t"
      "no.such %0;\n\t" : "=r"(r)); // WRONG: asm_spellings.cu:[[@LINE-1]]:{{[0-9]+}}: error: inline PTX: 'no.such'
#endif
}

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  plain<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  printf("plain %d\n", *p);
  fflush(stdout);
  addAsm<<<1, 1>>>(p, 1);
  cudaDeviceSynchronize();
  printf("sum %d\n", *p);
  names<<<4, 32>>>(p);
  cudaDeviceSynchronize();
  printf("lane and block %d\n", *p);
  lines<<<1, 1>>>(p, 5);
  cudaDeviceSynchronize();
  printf("lines %d\n", *p);
  return cudaGetLastError() != cudaSuccess;
}
