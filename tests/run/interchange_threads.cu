// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=interchange-threads %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that give threadIdx.x to the rows of a matrix, so that threads along y are the better lanes: sums, stencils,
// products, tiles in shared memory with barriers, atomic additions, what a thread knows of its place; blocks of all
// shapes, in three dimensions too, and matrices that they do not divide.
#include "support.h"

struct Place {
  int row, column, plane;
};
__device__ Place place() {
  return {int(blockIdx.x * blockDim.x + threadIdx.x), int(blockIdx.y * blockDim.y + threadIdx.y),
          int(blockIdx.z * blockDim.z + threadIdx.z)};
}

__global__ void add(int rows, int columns, const float *a, const float *b, float *out) {
  Place p = place();
  if (p.row < rows && p.column < columns) {
    int i = (p.plane * rows + p.row) * columns + p.column;
    out[i] = a[i] + 2 * b[i];
  }
}

__global__ void stencil(int rows, int columns, const float *a, float *out) {
  Place p = place();
  if (p.row >= rows || p.column >= columns)
    return;
  const float *plane = a + p.plane * rows * columns;
  auto at = [&](int i, int j) { return i < 0 || j < 0 || i >= rows || j >= columns ? 0 : plane[i * columns + j]; };
  out[(p.plane * rows + p.row) * columns + p.column] =
      at(p.row, p.column) + 2 * at(p.row - 1, p.column) + 3 * at(p.row + 1, p.column) + 4 * at(p.row, p.column - 1) +
      5 * at(p.row, p.column + 1);
}

/// The block's tile, turned by half a turn.
__global__ void turn(int rows, int columns, const float *a, float *out) {
  extern __shared__ float tile[];
  Place p = place();
  int i = (p.plane * rows + p.row) * columns + p.column;
  bool inside = p.row < rows && p.column < columns;
  unsigned own = (threadIdx.z * blockDim.x + threadIdx.x) * blockDim.y + threadIdx.y;
  tile[own] = inside ? a[i] : -1;
  __syncthreads();
  if (inside)
    out[i] = tile[blockDim.x * blockDim.y * blockDim.z - 1 - own];
}

/// What each thread knows, and how many have come by.
__global__ void places(int rows, int columns, unsigned *out, int *sums) {
  Place p = place();
  if (p.row >= rows || p.column >= columns)
    return;
  out[(p.plane * rows + p.row) * columns + p.column] =
      threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16 | (blockDim.x * 7 + blockDim.y * 5 + blockDim.z) << 20;
  atomicAdd(&sums[p.column], p.row + 1);
}

__global__ void product(int n, const float *a, const float *b, float *c) {
  Place p = place();
  if (p.row >= n || p.column >= n || p.plane > 0)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[p.row * n + k] * b[k * n + p.column];
  c[p.row * n + p.column] = sum;
}

std::vector<float> numbers(int count, int seed) {
  Random random(seed);
  std::vector<float> all(count);
  for (float &one : all)
    one = float(random.below(100));
  return all;
}

void test(dim3 block, int rows, int columns, int planes) {
  int count = rows * columns * planes;
  dim3 grid((rows + block.x - 1) / block.x, (columns + block.y - 1) / block.y, planes / block.z);
  std::vector<float> a = numbers(count, 1), b = numbers(count, 2), sum(count), cross(count), turned(count);
  std::vector<unsigned> known(count);
  std::vector<int> sums(columns);
  auto at = [&](int z, int i, int j) {
    return i < 0 || j < 0 || i >= rows || j >= columns ? 0 : a[(z * rows + i) * columns + j];
  };
  for (int z = 0; z < planes; ++z)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int here = (z * rows + i) * columns + j;
        sum[here] = a[here] + 2 * b[here];
        cross[here] = at(z, i, j) + 2 * at(z, i - 1, j) + 3 * at(z, i + 1, j) + 4 * at(z, i, j - 1) + 5 * at(z, i, j + 1);
        int x = i % block.x, y = j % block.y, inZ = z % block.z;
        int oi = i - x + block.x - 1 - x, oj = j - y + block.y - 1 - y, oz = z - inZ + block.z - 1 - inZ;
        turned[here] = oi < rows && oj < columns ? at(oz, oi, oj) : -1;
        known[here] = x | y << 8 | inZ << 16 | (block.x * 7 + block.y * 5 + block.z) << 20;
        sums[j] += i + 1;
      }
  Buffer<float> deviceA(a), deviceB(b), out(count);
  add<<<grid, block>>>(rows, columns, deviceA, deviceB, out);
  checkLaunch();
  expectAll("sums", out.get(), sum);
  stencil<<<grid, block>>>(rows, columns, deviceA, out);
  checkLaunch();
  expectAll("stencil", out.get(), cross);
  turn<<<grid, block, block.x * block.y * block.z * sizeof(float)>>>(rows, columns, deviceA, out);
  checkLaunch();
  expectAll("turned", out.get(), turned);
  Buffer<unsigned> deviceKnown(count);
  Buffer<int> deviceSums(columns);
  places<<<grid, block>>>(rows, columns, deviceKnown, deviceSums);
  checkLaunch();
  expectAll("places", deviceKnown.get(), known);
  expectAll("sums of rows", deviceSums.get(), sums);
}

void testProduct(dim3 block, int n) {
  std::vector<float> a = numbers(n * n, 3), b = numbers(n * n, 4), c(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  Buffer<float> deviceA(a), deviceB(b), out(n * n);
  product<<<dim3((n + block.x - 1) / block.x, (n + block.y - 1) / block.y), block>>>(n, deviceA, deviceB, out);
  checkLaunch();
  expectAll("product", out.get(), c);
}

int main() {
  for (dim3 block : {dim3(16, 16), dim3(32, 8), dim3(32, 32), dim3(8, 32), dim3(5, 7), dim3(2, 64), dim3(33, 3), dim3(4, 16, 3),
                     dim3(1, 64), dim3(64, 1)}) {
    test(block, 64, 96, 3 * block.z);
    test(block, 37, 101, block.z);
    testProduct(block, 45);
  }
  return finish();
}
