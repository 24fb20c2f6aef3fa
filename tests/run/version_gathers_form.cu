// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_WIDTH=32 %t
// RUN: env HEDDLE_WIDTH=8 %t
// RUN: %if avx512 %{ env CUDA_CACHE_DISABLE=1 HEDDLE_WIDTH=32 HEDDLE_PRINT_AFTER=optimize %t 2>&1 | FileCheck %s %}
// RUN: %if avx512 %{ env CUDA_CACHE_DISABLE=1 HEDDLE_WIDTH=8 HEDDLE_PRINT_AFTER=optimize %t 2>&1 | FileCheck %s --check-prefix=NARROW %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be dense at run time has two forms: vectors of 16 lanes, or of 8 where a program has no more, and a gather
// or scatter; both halves of a float2 go in one store. One test serves two accesses that differ by a uniform offset.
#include "support.h"

// CHECK: define {{.*}}@runBlocks
// CHECK: %[[TEST:[0-9]+]] = call i1 @llvm.vector.reduce.and.v32i1
// CHECK: br i1 %[[TEST]]
// CHECK-DAG: masked.gather.v32i64
// CHECK-DAG: masked.load.v16i64
// CHECK: br i1 %[[STORE:[0-9]+]]
// CHECK: masked.store.v16i64
// CHECK: masked.store.v16i64
// CHECK: masked.scatter.v32i64
// CHECK: br i1 %[[STORE]]
// CHECK: masked.scatter.v32i64
// CHECK: all right
//
// NARROW: define {{.*}}@runBlocks
// NARROW-DAG: masked.gather.v8i64
// NARROW-DAG: masked.load.v8i64
// NARROW: masked.store.v8i64
// NARROW: masked.scatter.v8i64
// NARROW: all right
__global__ void kernel(const float2 *in, float2 *out, int m) {
  int i = threadIdx.x, k = i & (m - 1);
  float2 x = in[k];
  float2 *to = out + (i - k) * 2 + k;
  to[0] = make_float2(x.x + 1, x.y * 2);
  to[m] = make_float2(x.y, x.x);
}

int main() {
  std::vector<float2> values(64);
  for (int i = 0; i < 64; i++)
    values[i] = make_float2(i, i + 0.25f);
  Buffer<float2> in(values), out(128);
  kernel<<<1, 64>>>(in.data, out.data, 16);
  checkLaunch();
  std::vector<float2> got = out.get();
  for (int i = 0; i < 64; i++) {
    int k = i & 15, to = (i - k) * 2 + k;
    expect("first x", i, got[to].x, values[k].x + 1);
    expect("first y", i, got[to].y, values[k].y * 2);
    expect("second x", i, got[to + 16].x, values[k].y);
    expect("second y", i, got[to + 16].y, values[k].x);
  }
  return finish();
}
