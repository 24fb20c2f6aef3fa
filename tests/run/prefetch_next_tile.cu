// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_DISABLE=prefetch-next-tile HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that copy a block's tile fetch the next block's, into the second cache, also beyond the last block: that
// never faults. Loops that compute do not.
#include "support.h"

constexpr int Tile = 32, Width = 32 * 7;

// CHECK-LABEL: define internal void @runBlocks
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 2, i32 1)
// CHECK: heddle_kernel
// CHECK-LABEL: define internal void @runBlocks
// CHECK-NOT: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
// OFF-NOT: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
__global__ void turnTiles(int rows, const int *in, int *out) {
  __shared__ int tile[64][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y0 = blockIdx.y * rows;
  for (int y = 0; y < rows; ++y)
    tile[y][threadIdx.x] = in[(y0 + y) * Width + x];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < Tile; ++i)
    sum += tile[threadIdx.x % rows][i];
  __syncthreads();
  tile[0][threadIdx.x] += sum;
  __syncthreads();
  for (int y = 0; y < rows; ++y)
    out[(y0 + rows - 1 - y) * Width + x] = tile[y][threadIdx.x];
}

__global__ void sums(int rows, const int *in, int *out) {
  int sum = 0, x = blockIdx.x * Tile + threadIdx.x;
  for (int y = 0; y < rows; ++y)
    sum = sum * 3 + in[y * Width + x];
  out[x] = sum;
}

int main() {
  Random random(1);
  for (int rows : {1, 5, 32, 64}) {
    int height = rows * 3;
    std::vector<int> in(height * Width), want(in.size()), wantSums(Width);
    for (int &value : in)
      value = random.below(1000);
    for (int by = 0; by < 3; ++by)
      for (int x = 0; x < Width; ++x)
        for (int y = 0; y < rows; ++y) {
          int value = in[(by * rows + y) * Width + x], row = by * rows + x % Tile % rows;
          for (int i = 0; i < Tile && y == 0; ++i)
            value += in[row * Width + x / Tile * Tile + i];
          want[(by * rows + rows - 1 - y) * Width + x] = value;
        }
    for (int x = 0; x < Width; ++x)
      for (int y = 0; y < height; ++y)
        wantSums[x] = int(unsigned(wantSums[x]) * 3u + unsigned(in[y * Width + x]));
    Buffer<int> deviceIn(in), out(in.size()), deviceSums(Width);
    turnTiles<<<dim3(7, 3), Tile>>>(rows, deviceIn, out);
    sums<<<7, Tile>>>(height, deviceIn, deviceSums);
    checkLaunch();
    expectAll("tiles", out.get(), want);
    expectAll("sums", deviceSums.get(), wantSums);
  }
  return finish();
}
