// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_DISABLE=prefetch-grid-strides HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in steps of the grid's size fetch ahead, also beyond the ends of what they read: that never faults. Loops
// with other steps do not.
#include "support.h"

// CHECK-LABEL: define internal void @runBlocks
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
// CHECK: heddle_kernel
// CHECK-LABEL: define internal void @runBlocks
// CHECK-NOT: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
// OFF-NOT: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
__global__ void byGrid(int n, const int *in, const unsigned char *bytes, int *out) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i] * bytes[i];
  atomicAdd(out, sum);
}

__global__ void byRow(int rows, int columns, const int *in, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int y = 0; y < rows; ++y)
    sum += in[y * columns + x];
  out[x] = sum;
}

int main() {
  Random random(1);
  for (int n : {1, 100, 4096, 100003}) {
    std::vector<int> in(n);
    std::vector<unsigned char> bytes(n);
    int want = 0;
    for (int i = 0; i < n; ++i)
      want += (in[i] = random.below(100)) * (bytes[i] = random.below(200));
    Buffer<int> deviceIn(in), out(1);
    Buffer<unsigned char> deviceBytes(bytes);
    byGrid<<<5, 96>>>(n, deviceIn, deviceBytes, out);
    checkLaunch();
    expect("sum", n, out.get()[0], want);
  }
  constexpr int Rows = 50, Columns = 192;
  std::vector<int> in(Rows * Columns), want(Columns);
  for (int i = 0; i < Rows * Columns; ++i)
    want[i % Columns] += in[i] = random.below(1000);
  Buffer<int> deviceIn(in), out(Columns);
  byRow<<<2, 96>>>(Rows, Columns, deviceIn, out);
  checkLaunch();
  expectAll("columns", out.get(), want);
  return finish();
}
