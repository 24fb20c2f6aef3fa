// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: %all %at(8,16,32) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices with many sums a thread, whose slices are copied to shared memory: rounds that wait together, with
// every number of rounds, slices in one tile or two, and results that lie where the operands were.
#include "support.h"

constexpr int Slice = 4, Mine = 8, Across = 16, Tile = Across * Mine;

using Part = float[Slice][Tile]; ///< of a matrix, in shared memory
using Sums = float[Mine][Mine];   ///< of a thread

__device__ void addProducts(const Part &a, const Part &b, Sums &sums) {
  int x = threadIdx.x % Across, y = threadIdx.x / Across;
#pragma unroll
  for (int k = 0; k < Slice; ++k)
#pragma unroll
    for (int i = 0; i < Mine; ++i)
#pragma unroll
      for (int j = 0; j < Mine; ++j)
        sums[i][j] += a[k][y * Mine + i] * b[k][x * Mine + j];
}

__device__ void addToResult(const Sums &sums, float *c) {
  int row = blockIdx.y * Tile + threadIdx.x / Across * Mine, column = blockIdx.x * Tile + threadIdx.x % Across * Mine;
  for (int i = 0; i < Mine; ++i)
    for (int j = 0; j < Mine; ++j)
      c[(row + i) * gridDim.x * Tile + column + j] += sums[i][j];
}

/// c += a * b, `a` by columns: depth x (Tile * gridDim.y), `b` depth x (Tile * gridDim.x). Slices take turns, the next one is
/// fetched while this one is used.
__global__ __launch_bounds__(256) void ahead(int depth, const float *a, const float *b, float *c) {
  __shared__ Part sliceA[2], sliceB[2];
  int k = threadIdx.x / (Tile / 2), i = threadIdx.x % (Tile / 2) * 2;
  int rows = gridDim.y * Tile, columns = gridDim.x * Tile;
  const float *fromA = a + k * rows + blockIdx.y * Tile + i, *fromB = b + k * columns + blockIdx.x * Tile + i;
  float nextA[2], nextB[2];
  Sums sums = {};
  for (int j = 0; j < 2; ++j)
    nextA[j] = fromA[j], nextB[j] = fromB[j];
  int now = 0;
  for (int start = 0; start < depth; start += Slice, now ^= 1) {
    for (int j = 0; j < 2; ++j)
      sliceA[now][k][i + j] = nextA[j], sliceB[now][k][i + j] = nextB[j];
    __syncthreads();
    if (start + Slice < depth)
      for (int j = 0; j < 2; ++j)
        nextA[j] = fromA[(start + Slice) * rows + j], nextB[j] = fromB[(start + Slice) * columns + j];
    addProducts(sliceA[now], sliceB[now], sums);
  }
  addToResult(sums, c);
}

/// The same with one tile and two waits a round.
__global__ __launch_bounds__(256) void textbook(int depth, const float *a, const float *b, float *c) {
  __shared__ Part sliceA, sliceB;
  int rows = gridDim.y * Tile, columns = gridDim.x * Tile;
  Sums sums = {};
  for (int start = 0; start < depth; start += Slice) {
#pragma unroll
    for (int e = 0; e < Slice * Tile / 256; ++e) {
      int k = (threadIdx.x + 256 * e) / Tile, i = (threadIdx.x + 256 * e) % Tile;
      sliceA[k][i] = a[(start + k) * rows + blockIdx.y * Tile + i];
      sliceB[k][i] = b[(start + k) * columns + blockIdx.x * Tile + i];
    }
    __syncthreads();
    addProducts(sliceA, sliceB, sums);
    __syncthreads();
  }
  addToResult(sums, c);
}

/// Each thread reads what it has stored itself, in one tile: nobody need wait twice, and two rounds may not share the tile.
__global__ __launch_bounds__(256) void own(int rounds, const float *a, float *c) {
  __shared__ float tile[256][9];
  float sums[48] = {};
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 9; ++i)
      tile[threadIdx.x][i] = a[(round * 9 + i) * 256 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 48; ++i)
      sums[i] = 2 * sums[i] + tile[threadIdx.x][i % 9];
  }
#pragma unroll
  for (int i = 0; i < 48; ++i)
    c[i * 256 + threadIdx.x] = sums[i];
}

/// Small whole numbers: sums are exact in any order.
static std::vector<float> wholeNumbers(size_t count, int seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(random.below(9) - 4);
  return values;
}

using Kernel = void (*)(int, const float *, const float *, float *);
struct Named {
  const char *name;
  Kernel kernel;
};

static void product(Named named, int depth, dim3 grid) {
  int rows = grid.y * Tile, columns = grid.x * Tile;
  auto a = wholeNumbers(size_t(depth) * rows, 1), b = wholeNumbers(size_t(depth) * columns, 2);
  std::vector<float> want(size_t(rows) * columns, 1);
  Buffer<float> deviceA(a), deviceB(b), deviceC(want);
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        want[i * columns + j] += a[k * rows + i] * b[k * columns + j];
  named.kernel<<<grid, 256>>>(depth, deviceA, deviceB, deviceC);
  checkLaunch();
  expectAll(named.name + (" of depth " + std::to_string(depth)), deviceC.get(), want);
}

/// The result goes over the operands: no thread may write while another still reads.
static void inPlace(Named named, int depth) {
  auto memory = wholeNumbers(Tile * Tile, 3);
  std::vector<float> want = memory;
  Buffer<float> device(memory);
  for (int i = 0; i < Tile; ++i)
    for (int j = 0; j < Tile; ++j)
      for (int k = 0; k < depth; ++k)
        want[i * Tile + j] += memory[k * Tile + i] * memory[k * Tile + j];
  named.kernel<<<1, 256>>>(depth, device, device, device);
  checkLaunch();
  expectAll(named.name + (" in place, depth " + std::to_string(depth)), device.get(), want);
}

static void ownElements(int rounds) {
  auto a = wholeNumbers(rounds * 9 * 256, 4);
  std::vector<float> want(48 * 256);
  Buffer<float> deviceA(a), deviceC(want);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 48; ++i)
      for (int t = 0; t < 256; ++t)
        want[i * 256 + t] = 2 * want[i * 256 + t] + a[(round * 9 + i % 9) * 256 + t];
  own<<<1, 256>>>(rounds, deviceA, deviceC);
  checkLaunch();
  expectAll("own", deviceC.get(), want);
}

int main() {
  for (Named named : {Named{"ahead", ahead}, Named{"textbook", textbook}}) {
    for (int rounds : {1, 2, 3, 4, 5, 8, 17})
      product(named, rounds * Slice, {1, 1});
    product(named, 12 * Slice, {2, 3});
    product(named, 13 * Slice, {3, 2});
    for (int rounds : {1, 2, 3, 6, 7, 32})
      inPlace(named, rounds * Slice);
  }
  for (int rounds : {1, 2, 5, 8})
    ownElements(rounds);
  return finish();
}
