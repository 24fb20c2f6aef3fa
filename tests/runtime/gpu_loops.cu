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

// Three ways back are one, which also leaves (jit/load/gpu_latches.cpp).
// CHECK-LABEL: .entry ways(
// CHECK: setp.ne.b32 [[MORE:%p[0-9]+]], [[GOES:%r[0-9]+]], 0;
// CHECK: @[[MORE]] bra [[TOP:\$L__BB[0-9_]+]];
// CHECK: [[TOP]]:
// CHECK: mov.b32 [[GOES]], 1;
// CHECK-NOT: bra{{.*}} [[TOP]];
// CHECK: ret;
extern "C" __global__ void ways(int n, int *stack, int *out) {
  int count = 0, depth = 2;
  while (depth >= 2) {
    if (stack[depth] == 0) {
      depth--;
      continue;
    }
    stack[depth] ^= stack[depth] & -stack[depth];
    if (depth == n) {
      count++;
      continue;
    }
    stack[depth + 1] = stack[depth] | 1;
    depth++;
  }
  *out = count;
}

// A loop over bytes counts by a number of its own; one that looks up what it has read does not.
// CHECK-LABEL: .entry bytes(
// CHECK: add.s32 [[LEFT:%r[0-9]+]], {{%r[0-9]+}}, -8;
// CHECK: setp.ne.b32 [[MORE:%p[0-9]+]], [[LEFT]], 0;
// CHECK: @[[MORE]] bra
// CHECK-LABEL: .entry looked(
// CHECK-NOT: begin inline asm
// CHECK: ret;
extern "C" __global__ void bytes(int n, const unsigned char *a, int *out) {
  int sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j] > 200 ? a[j] : 1;
  *out = sum;
}
extern "C" __global__ void looked(int n, const unsigned char *a, const int *table, int *out) {
  int sum = 0;
  for (int j = 0; j < n; j++)
    sum = table[(sum ^ a[j]) & 255] ^ sum >> 8;
  *out = sum;
}

// What two branches compare, one without and one with sign, is not the same for ptxas (jit/load/gpu_order.cpp).
// CHECK-LABEL: .entry signs(
// CHECK-COUNT-2: xor.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 0x80000000;
// CHECK-NOT: setp.{{..}}.s32
// CHECK: ret;
extern "C" __global__ void signs(unsigned i, unsigned n, int *out) {
  if (i < n)
    out[0] = out[1];
  if (int(i) < int(n))
    out[2] += out[3];
}

// Nor are the addresses of two allocas in a loop.
// CHECK-LABEL: .entry nodes(
// CHECK: alloca.u64 [[PLACE:%rd[0-9]+]], {{%rd[0-9]+}}, 16;
// CHECK: st.volatile.b64 [{{.*}}], [[PLACE]];
// CHECK: ld.volatile.b64
// CHECK: ret;
extern "C" __global__ void nodes(int n, long *out) {
  long *last = nullptr;
  for (int i = 0; i < n; i++) {
    long *node = static_cast<long *>(__builtin_alloca(16));
    node[0] = long(last), node[1] = i;
    last = node;
  }
  out[0] = last ? last[1] : 0;
}

int main() {}
