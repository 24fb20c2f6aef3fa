// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: env HEDDLE_WORKERS=1 %t
// RUN: env HEDDLE_WORKERS=7 %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=coarsen-blocks-in-x %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of 2 to 16 threads along rows of bytes, shorts and floats, and blocks of less than a warp, where blocks beside each
// other run as one: rows of blocks with rests of all sizes, one plane and several, neighbours at the borders, indices of
// blocks and threads by themselves. Elements are added to, so that no block runs twice or not at all. Bytes are also stored
// as structures; small blocks count with atomic operations.
#include "support.h"

/// The sum of the neighbours, and where it comes from.
template <class T, int X, int Y> __global__ void sums(int w, int h, const T *in, T *out) {
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, z = blockIdx.z;
  if (x >= w || y >= h)
    return;
  int at = (z * h + y) * w + x;
  T sum = in[at];
  if (x > 0)
    sum += in[at - 1];
  if (x + 1 < w)
    sum += in[at + 1];
  if (y > 0 && threadIdx.x != 1)
    sum += T(3 * in[at - w]);
  out[at] += T(sum + T(blockIdx.x % 5) + T(7 * threadIdx.y));
}

template <class T, int X, int Y> void sumsOf(int w, int h, int depth) {
  std::vector<T> in, wanted(size_t(w) * h * depth);
  Random random(w + 1000 * h);
  for (size_t i = 0; i < wanted.size(); ++i)
    in.push_back(T(random.below(50)));
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        int at = (z * h + y) * w + x;
        T sum = in[at];
        sum += x > 0 ? in[at - 1] : T(0);
        sum += x + 1 < w ? in[at + 1] : T(0);
        sum += y > 0 && x % X != 1 ? T(3 * in[at - w]) : T(0);
        wanted[at] = T(sum + T(x / X % 5) + T(7 * (y % Y)));
      }
  Buffer<T> deviceIn(in), out(wanted.size());
  sums<T, X, Y><<<dim3((w + X - 1) / X, (h + Y - 1) / Y, depth), dim3(X, Y)>>>(w, h, deviceIn.data, out.data);
  expectAll("sums", out.get(), wanted);
}

/// Two pixels a thread, three bytes each, some of which stay as they are.
__global__ void pixels(int w, int h, const unsigned char *in, unsigned char *out) {
  int x = 2 * (blockIdx.x * 16 + threadIdx.x), y = blockIdx.y * 16 + threadIdx.y;
  if (x + 1 >= w || y >= h)
    return;
  for (int k = 0; k < 2; ++k) {
    unsigned char *to = out + 3 * (y * w + x + k);
    const unsigned char *from = in + 3 * (y * w + x + k);
    to[0] = from[2] + k;
    if (from[1] % 3)
      to[1] = from[0] + from[1];
    to[2] = from[1] ^ 85;
  }
}

static void pixelsOf(int w, int h) {
  std::vector<unsigned char> in(3 * w * h), wanted(3 * w * h);
  Random random(w);
  for (unsigned char &byte : in)
    byte = random.bits();
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w / 2 * 2; ++x) {
      int at = 3 * (y * w + x);
      wanted[at] = in[at + 2] + x % 2;
      if (in[at + 1] % 3)
        wanted[at + 1] = in[at] + in[at + 1];
      wanted[at + 2] = in[at + 1] ^ 85;
    }
  Buffer<unsigned char> deviceIn(in), out(wanted.size());
  pixels<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(16, 16)>>>(w, h, deviceIn.data, out.data);
  expectAll("pixels", out.get(), wanted);
}

/// Each thread counts at its place in the block, and notes its number in the grid beside what its block does not share.
template <int X, int Y, int Z> __global__ void counts(unsigned *places, int *sum, long long *numbers) {
  int place = (threadIdx.z * Y + threadIdx.y) * X + threadIdx.x;
  long long block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  atomicAdd(places + place, 1u);
  atomicMax(sum, int(blockIdx.x * blockDim.x + threadIdx.x));
  numbers[block * (X * Y * Z) + place] += 1 + block * 1000 + threadIdx.y * 100 + threadIdx.x % 7;
}

template <int X, int Y, int Z> void countsOf(dim3 grid) {
  int blocks = grid.x * grid.y * grid.z;
  std::vector<unsigned> places(X * Y * Z, blocks);
  std::vector<long long> numbers;
  for (long long block = 0; block < blocks; ++block)
    for (int z = 0; z < Z; ++z)
      for (int y = 0; y < Y; ++y)
        for (int x = 0; x < X; ++x)
          numbers.push_back(1 + block * 1000 + y * 100 + x % 7);
  Buffer<unsigned> found(places.size());
  Buffer<int> sum(1);
  Buffer<long long> noted(numbers.size());
  counts<X, Y, Z><<<grid, dim3(X, Y, Z)>>>(found.data, sum.data, noted.data);
  expectAll("places", found.get(), places);
  expectAll("greatest", sum.get(), std::vector<int>{int(grid.x * X - 1)});
  expectAll("numbers", noted.get(), numbers);
}

int main() {
  for (int w : {1, 15, 16, 17, 63, 64, 65, 100, 128, 200, 333, 1025})
    for (int depth : {1, 3}) {
      sumsOf<unsigned char, 16, 16>(w, 37, depth);
      sumsOf<short, 16, 8>(w, 20, depth);
      sumsOf<float, 8, 8>(w, 20, depth);
      sumsOf<unsigned char, 2, 16>(w, 40, depth);
      sumsOf<unsigned char, 4, 64>(w, 70, depth);
      pixelsOf(w, 40 * depth);
      sumsOf<float, 4, 4>(w, 20, depth);
      sumsOf<short, 1, 8>(w, 20, depth);
      sumsOf<float, 10, 1>(w, 5, depth);
      sumsOf<unsigned char, 3, 3>(w, 20, depth);
    }
  for (dim3 grid : {dim3(1), dim3(2, 3), dim3(7, 1, 2), dim3(31, 5), dim3(64, 2), dim3(1000)}) {
    countsOf<2, 1, 1>(grid);
    countsOf<31, 1, 1>(grid);
    countsOf<17, 1, 1>(grid);
    countsOf<5, 5, 1>(grid);
    countsOf<2, 2, 4>(grid);
    countsOf<1, 1, 24>(grid);
  }
  return finish();
}
