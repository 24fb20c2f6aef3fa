// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=swizzle-blocks %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, whose blocks run in bands of rows: each block once, whatever the grid's size. Grids of less than
// a band, of a band and a rest, of one column or one row, and of several planes; with tiles in shared memory and without,
// with and without waiting, and in a cooperative grid.
#include "support.h"

#include <array>
#include <cooperative_groups.h>

constexpr int Tile = 8, Inner = 24;

/// Element (row, column) of plane z is the sum over k of a[z][row][k] * b[z][k][column]; every run adds to it.
__device__ int product(const int *a, const int *b, int columns, int row, int column) {
  int sum = 0;
  for (int k = 0; k < Inner; ++k)
    sum += a[row * Inner + k] * b[k * columns + column];
  return sum;
}

__device__ void addProduct(int rows, int columns, const int *a, const int *b, int *c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    c[(blockIdx.z * rows + row) * columns + column] +=
        product(a + blockIdx.z * rows * Inner, b + blockIdx.z * Inner * columns, columns, row, column);
}

__global__ void plain(int rows, int columns, const int *a, const int *b, int *c) { addProduct(rows, columns, a, b, c); }

__global__ void tiled(int rows, int columns, const int *a, const int *b, int *c) {
  __shared__ int left[Tile][Tile], right[Tile][Tile];
  a += blockIdx.z * rows * Inner;
  b += blockIdx.z * Inner * columns;
  int column = blockIdx.x * Tile + threadIdx.x, row = blockIdx.y * Tile + threadIdx.y, sum = 0;
  for (int k = 0; k < Inner; k += Tile) {
    left[threadIdx.y][threadIdx.x] = row < rows ? a[row * Inner + k + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < columns ? b[(k + threadIdx.y) * columns + column] : 0;
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[(blockIdx.z * rows + row) * columns + column] += sum;
}

/// Twice the product, the second half of it behind a barrier of the grid.
__global__ void twice(int rows, int columns, const int *a, const int *b, int *c) {
  addProduct(rows, columns, a, b, c);
  cooperative_groups::this_grid().sync();
  addProduct(rows, columns, a, b, c);
}

enum class Form { Plain, Tiled, Twice };

void test(Form form, int rows, int columns, int planes) {
  Random random(rows * 1000 + columns);
  std::vector<int> a(planes * rows * Inner), b(planes * Inner * columns);
  for (int &x : a)
    x = random.below(100);
  for (int &x : b)
    x = random.below(100);
  Buffer<int> deviceA(a), deviceB(b), c(std::vector<int>(planes * rows * columns, 0));
  dim3 threads(Tile, Tile), grid((columns + Tile - 1) / Tile, (rows + Tile - 1) / Tile, planes);
  const int *pa = deviceA, *pb = deviceB;
  int *pc = c;
  void *arguments[] = {&rows, &columns, &pa, &pb, &pc};
  if (form == Form::Plain)
    plain<<<grid, threads>>>(rows, columns, pa, pb, pc);
  else if (form == Form::Tiled)
    tiled<<<grid, threads>>>(rows, columns, pa, pb, pc);
  else
    CUDA_OK(cudaLaunchCooperativeKernel((const void *)twice, grid, threads, arguments));
  checkLaunch();
  std::vector<int> got = c.get();
  for (int z = 0; z < planes; ++z)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        int want = 0, at = (z * rows + row) * columns + column;
        for (int k = 0; k < Inner; ++k)
          want += a[(z * rows + row) * Inner + k] * b[(z * Inner + k) * columns + column];
        expect("element", at, got[at], form == Form::Twice ? 2 * want : want);
      }
}

int main() {
  for (Form form : {Form::Plain, Form::Tiled})
    for (auto [rows, columns, planes] : {std::array{5, 7, 1}, {300, 20, 1}, {261, 100, 2}, {600, 5, 1}, {8, 500, 3},
                                         {513, 64, 1}})
      test(form, rows, columns, planes);
  test(Form::Twice, 40, 24, 2);
  return finish();
}
