// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma of floating-point numbers, and a product of many tiles.
// NVCC: -arch=sm_90 -std=c++17
#include "wmma.h"

/// A product of matrices of many tiles through shared memory, four warps to a block.
constexpr int Size = 64;
__global__ void tiles(const half *a, const half *b, float *c) {
  __shared__ half tileA[Size * 16], tileB[16 * Size];
  int warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto &line : sums)
    for (auto &sum : line)
      wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < Size; k += 16) {
    for (int i = threadIdx.x; i < Size * 16; i += blockDim.x) {
      tileA[i] = a[i / 16 * Size + k + i % 16];
      tileB[i] = b[(k + i / Size) * Size + i % Size];
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::load_matrix_sync(left, tileA + (row + 16 * i) * 16, 16);
        wmma::load_matrix_sync(right, tileB + column + 16 * j, Size);
        wmma::mma_sync(sums[i][j], left, right, sums[i][j]);
      }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + (row + 16 * i) * Size + column + 16 * j, sums[i][j], Size, wmma::mem_row_major);
}

static void checkTiles() {
  Random random(29);
  std::vector<half> a(Size * Size), b(Size * Size);
  for (half &x : a)
    x = __float2half(float(random.between(-1, 1)));
  for (half &x : b)
    x = __float2half(float(random.between(-1, 1)));
  Buffer<half> deviceA(a), deviceB(b);
  Buffer<float> c(Size * Size);
  tiles<<<1, 128>>>(deviceA, deviceB, c);
  checkLaunch();
  std::vector<float> got = c.get();
  for (int i = 0; i < Size; ++i)
    for (int j = 0; j < Size; ++j) {
      double want = 0;
      for (int k = 0; k < Size; ++k)
        want += double(__half2float(a[i * Size + k])) * double(__half2float(b[k * Size + j]));
      if (!(std::fabs(got[i * Size + j] - want) < 1e-4))
        report("tiles", i * Size + j, show(got[i * Size + j]), show(want));
    }
}

int main() {
  checkShapes<half, float>("half", -8, 8);
  checkLayouts<16, 16, 16, half, half, half>("half to half", -4, 4);
  checkLayouts<16, 16, 16, half, half, float>("half to float", -4, 4);
  checkLayouts<32, 8, 16, __nv_bfloat16, float>("bfloat16", -8, 8);
  checkLayouts<16, 16, 8, wmma::precision::tf32, float>("tf32", -100, 100);
  checkLayouts<8, 8, 4, double, double>("double", -100, 100);
  checkTiles();
  return finish();
}
