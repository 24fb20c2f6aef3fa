// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=distribute-extensions %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are copies of global memory, whose indices of 32 bits wrap around between the threads that copy, or from round to
// round: 2^32 and a little is a little.
#include "support.h"

constexpr int Tile = 32;
constexpr unsigned Pitch = 64;
constexpr int Many = 1024; ///< threads
constexpr unsigned Third = 0x55555556; ///< three of it are 2^32 + 2

/// From row to row the index wraps around and goes up by two.
__global__ __launch_bounds__(Tile * Tile) void betweenRows(unsigned n, unsigned start, int rounds, const unsigned *a,
    const unsigned *b, unsigned *out) {
  __shared__ unsigned tileA[Tile][Tile], tileB[Tile][Tile];
  unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tileA[y][x] = a[(y * rounds + round) * Tile + x];
    tileB[y][x] = b[(start + y * 3) * Third + n * round + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  out[y * Tile + x] = sum;
}

/// The same in unrolled loops, and in 64 bits behind the product.
__global__ __launch_bounds__(Tile * Tile) void betweenSteps(unsigned n, unsigned start, int rounds, const unsigned *a,
    const unsigned *b, unsigned *out) {
  __shared__ unsigned tileA[Tile][Tile], tileB[Tile][Tile];
  unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tileA[y][x] = a[(y * rounds + round) * Tile + x];
    tileB[y][x] = b[(unsigned long long)((start + y * 3) * Third) + (n * round + x)];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  out[y * Tile + x] = sum;
}

/// From round to round the index wraps around and falls by one.
__global__ __launch_bounds__(Tile * Tile) void betweenRounds(unsigned, unsigned start, int rounds, const unsigned *a,
    const unsigned *b, unsigned *out) {
  __shared__ unsigned tileA[Tile][Tile], tileB[Tile][Tile];
  unsigned x = threadIdx.x, y = threadIdx.y, sum = 0, at = start;
  for (int round = 0; round < rounds; ++round, at += 0x10001) {
    tileA[y][x] = a[(y * rounds + round) * Tile + x];
    tileB[y][x] = b[(unsigned long long)(at * 0xffffu) + (y * Pitch + x)];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  out[y * Tile + x] = sum;
}

/// Places counted in eight bits with a sign, which are negative in the second half of the turns. (nvcc 13.0 takes it that `++k`
/// of a signed char does not wrap around, against C++; a conversion does.)
__global__ __launch_bounds__(Many) void shortCounter(int rounds, const unsigned *a, unsigned *out) {
  __shared__ unsigned tile[Many];
  unsigned t = threadIdx.x, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[t] = a[round * Many + t];
    __syncthreads();
    signed char k = 0;
#pragma unroll 1
    for (int turn = 0; turn < 256; ++turn, k = (signed char)(k + 1))
      sum = sum * 3 + tile[k + 128];
    __syncthreads();
  }
  out[t] = sum;
}

static std::vector<unsigned> numbers(size_t count) {
  std::vector<unsigned> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = unsigned(i) * 2654435761u >> 5;
  return result;
}

/// `at(round, y)` is the first index of a row of the second matrix.
template <class Kernel, class At> static void check(const char *name, Kernel kernel, unsigned n, unsigned start, int rounds,
                                             At at) {
  std::vector<unsigned> a = numbers(size_t(Tile) * rounds * Tile), b = numbers(1 << 13), want(Tile * Tile);
  for (int y = 0; y < Tile; ++y)
    for (int x = 0; x < Tile; ++x)
      for (int round = 0; round < rounds; ++round)
        for (int k = 0; k < Tile; ++k)
          want[y * Tile + x] += a[(y * rounds + round) * Tile + k] * b[at(round, k) + x];
  Buffer<unsigned> left(a), right(b), out(want.size());
  kernel<<<1, dim3(Tile, Tile)>>>(n, start, rounds, left, right, out);
  checkLaunch();
  expectAll(name, out.get(), want);
}

static void checkShortCounter(int rounds) {
  std::vector<unsigned> a = numbers(size_t(rounds) * Many), want(Many);
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round)
    for (int turn = 0; turn < 256; ++turn)
      sum = sum * 3 + a[round * Many + (turn + 128) % 256];
  std::fill(want.begin(), want.end(), sum);
  Buffer<unsigned> in(a), out(want.size());
  shortCounter<<<1, Many>>>(rounds, in, out);
  checkLaunch();
  expectAll("short counter", out.get(), want);
}

int main() {
  unsigned n = Pitch, start = 3 * 8;
  auto row = [&](int round, int y) { return (start + y * 3) * Third + n * round; };
  check("between rows", betweenRows, n, start, 20, row);
  check("between steps", betweenSteps, n, start, 20, row);
  unsigned inverse = 1, last = 40; // of 0xffff
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - 0xffff * inverse;
  check("between rounds", betweenRounds, n, last * inverse, 20, [&](int round, int y) { return last - round + y * n; });
  checkShortCounter(8);
  return finish();
}
