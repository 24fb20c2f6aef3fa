// RUN: %heddle cc -arch=sm_90 -std=c++17 %s -o %t
// RUN: %python %S/../../tools/gpu_tests.py text %build %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of code for a GPU (jit/load/gpu_loops.cpp): a local array that has constant indices once its loops are unrolled lies in
// registers, one whose index a program computes does not; loops have four steps in one or eight, and go back where a
// condition holds.
#include <cuda_runtime.h>

// CHECK-LABEL: .entry row(
// CHECK-NOT: .local
// CHECK: min.s32
// CHECK-NOT: .local
// CHECK: ret;
extern "C" __global__ void row(const int *a, int *out) {
  int cells[30];
  for (int j = 0; j < 30; j++)
    cells[j] = j;
  for (int i = 0; i < out[0]; i++)
    for (int j = 0; j < 29; j++)
      cells[j + 1] = min(cells[j] + a[i], cells[j + 1]);
  out[threadIdx.x] = cells[29];
}

// CHECK-LABEL: .entry indexed(
// CHECK: st.local
// CHECK: ret;
extern "C" __global__ void indexed(const int *a, int *out) {
  int cells[30];
  for (int j = 0; j < 30; j++)
    cells[j] = a[j];
  out[threadIdx.x] = cells[a[threadIdx.x]];
}

// The number of steps is a maximum; what is left of them is not unrolled.
// CHECK-LABEL: .entry below(
// CHECK: [[REST:\$L__BB[0-9_]+]]:
// CHECK-NEXT: .pragma "nounroll";
// CHECK: @%p{{[0-9]+}} bra [[REST]];
// CHECK-NOT: .pragma
// CHECK-COUNT-4: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK: setp.ne.b32 [[MORE:%p[0-9]+]]
// CHECK: @[[MORE]] bra
// CHECK: ret;
extern "C" __global__ void below(int n, const float *a, const float *b, float *out) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = i + 1; k < n; k++)
    sum += a[k * n + i] * b[k * n + i];
  out[i] = sum;
}

// CHECK-LABEL: .entry sum(
// CHECK-COUNT-8: add.rn.f32
// CHECK-NOT: add.rn.f32
// CHECK: setp.ne.b32 [[MORE:%p[0-9]+]]
// CHECK: @[[MORE]] bra
extern "C" __global__ void sum(int n, const float *a, float *out) {
  float all = 0;
  for (int i = 0; i < n; i++)
    all += a[i];
  *out = all;
}

int main() {}
