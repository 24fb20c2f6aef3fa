// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=shuffle-network %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes exchanged through shared memory, so that each register of a block is made of many others: transposes of tiles of
// several shapes and types, permutations without a pattern, sums of exchanged values, also where in is out.
#include "support.h"

/// Tiles of `Wide` columns and `Tall` rows, each in its place of `out`; blocks of Wide x Rows threads.
template <typename T, int Wide, int Tall, int Rows, int Padding>
__global__ void transposeTiles(const T *in, T *out) {
  __shared__ T tile[Tall][Wide + Padding];
  const T *from = in + blockIdx.x * Wide * Tall;
  T *to = out + blockIdx.x * Wide * Tall;
  for (int y = threadIdx.y; y < Tall; y += Rows)
    tile[y][threadIdx.x] = from[y * Wide + threadIdx.x];
  __syncthreads();
  int thread = threadIdx.y * Wide + threadIdx.x;
  for (int i = thread; i < Wide * Tall; i += Wide * Rows)
    to[i] = tile[i % Tall][i / Tall];
}

/// out[i] = in[(i * Factor + Offset) % 256], times two where the bit is set, plus what a neighbour got.
template <typename T, int Factor, int Offset> __global__ void permute(const T *in, T *out) {
  __shared__ T cells[256];
  int i = threadIdx.x, at = blockIdx.x * 256 + i;
  cells[i] = in[at];
  __syncthreads();
  T mine = cells[(i * Factor + Offset) % 256], other = cells[(i * Factor * 5 + Offset) % 256];
  __syncthreads();
  cells[i] = T(mine * 2 + other);
  __syncthreads();
  out[at] = T(cells[(i % 16) * 16 + i / 16] + mine);
}

template <typename T> static std::vector<T> numbers(int count, int seed) {
  Random random(seed);
  std::vector<T> all(count);
  for (T &value : all)
    value = T(random.below(100));
  return all;
}

template <typename T, int Wide, int Tall, int Rows, int Padding> static void testTiles(const char *name) {
  constexpr int Blocks = 5, Cells = Wide * Tall;
  std::vector<T> in = numbers<T>(Blocks * Cells, Wide + Tall), want(in.size());
  for (int block = 0; block < Blocks; block++)
    for (int i = 0; i < Cells; i++)
      want[block * Cells + i] = in[block * Cells + i % Tall * Wide + i / Tall];
  Buffer<T> deviceIn(in), out(in.size());
  transposeTiles<T, Wide, Tall, Rows, Padding><<<Blocks, dim3(Wide, Rows)>>>(deviceIn, out);
  checkLaunch();
  expectAll(name, out.get(), want);
  transposeTiles<T, Wide, Tall, Rows, Padding><<<Blocks, dim3(Wide, Rows)>>>(deviceIn, deviceIn);
  checkLaunch();
  expectAll(name, deviceIn.get(), want);
}

template <typename T, int Factor, int Offset> static void testPermutation(const char *name) {
  constexpr int Blocks = 3;
  std::vector<T> in = numbers<T>(Blocks * 256, Factor), want(in.size()), cells(256);
  for (int block = 0; block < Blocks; block++) {
    const T *from = &in[block * 256];
    for (int i = 0; i < 256; i++)
      cells[i] = T(from[(i * Factor + Offset) % 256] * 2 + from[(i * Factor * 5 + Offset) % 256]);
    for (int i = 0; i < 256; i++)
      want[block * 256 + i] = T(cells[(i % 16) * 16 + i / 16] + from[(i * Factor + Offset) % 256]);
  }
  Buffer<T> deviceIn(in), out(in.size());
  permute<T, Factor, Offset><<<Blocks, 256>>>(deviceIn, out);
  checkLaunch();
  expectAll(name, out.get(), want);
}

int main() {
  testTiles<float, 32, 32, 8, 1>("tile 32x32, blocks of 32x8");
  testTiles<float, 32, 32, 8, 0>("tile 32x32 without padding");
  testTiles<int, 16, 16, 16, 1>("tile 16x16 of int");
  testTiles<double, 16, 16, 16, 1>("tile 16x16 of double");
  testTiles<short, 16, 16, 16, 0>("tile 16x16 of short");
  testTiles<unsigned char, 16, 16, 8, 3>("tile 16x16 of bytes");
  testTiles<float, 8, 8, 8, 0>("tile 8x8");
  testTiles<float, 4, 32, 16, 1>("tile 4x32");
  testTiles<int, 32, 4, 4, 0>("tile 32x4");
  testTiles<float, 24, 16, 8, 1>("tile 24x16");
  testTiles<float, 20, 12, 12, 0>("tile 20x12");
  testPermutation<float, 37, 11>("permutation by 37");
  testPermutation<int, 16, 3>("permutation by 16");
  testPermutation<double, 129, 0>("permutation by 129");
  testPermutation<int, 1, 8>("rotation");
  return finish();
}
