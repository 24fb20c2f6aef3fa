// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=lane-runs %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows have any length, filled by all threads of a block one element after the other: row and column of an
// element are quotient and rest of its number. Rows that end within a register, at sides of the array, with cells of
// several sizes, copied out again, turned round, and with indices that wrap around.
#include "support.h"

/// `from` outside of the array is the nearest cell, or `rim`.
template <class T, int X, int Y, int R, bool Clamps>
__global__ static void tiles(int w, int h, T rim, const T *in, T *sums, T *copy) {
  constexpr int W = X + 2 * R, H = Y + 2 * R;
  __shared__ T tile[H][W];
  int left = int(blockIdx.x) * X - R, top = int(blockIdx.y) * Y - R, t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = t; i < W * H; i += blockDim.x * blockDim.y) {
    int x = left + i % W, y = top + i / W;
    if (Clamps)
      tile[i / W][i % W] = in[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
    else
      tile[i / W][i % W] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : rim;
  }
  __syncthreads();
  for (int i = t; i < X * Y; i += blockDim.x * blockDim.y) {
    int x = left + R + i % X, y = top + R + i / X;
    if (x >= w || y >= h)
      continue;
    T sum = 0;
    for (int dy = 0; dy <= 2 * R; ++dy)
      for (int dx = 0; dx <= 2 * R; ++dx)
        sum += T(tile[i / X + dy][i % X + dx] * T(1 + dx + 3 * dy));
    sums[y * w + x] = sum;
    copy[(h - 1 - y) * w + x] = tile[i / X + R][i % X + R];
  }
}

template <class T, int X, int Y, int R, bool Clamps> static void checkTiles(int w, int h, dim3 block, Random &random) {
  std::vector<T> in(size_t(w) * h), want(in.size()), wantCopy(in.size());
  for (T &cell : in)
    cell = T(random.below(100));
  auto at = [&](int x, int y) {
    if (Clamps)
      return in[size_t(std::min(std::max(y, 0), h - 1)) * w + std::min(std::max(x, 0), w - 1)];
    return x >= 0 && x < w && y >= 0 && y < h ? in[size_t(y) * w + x] : T(7);
  };
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      T sum = 0;
      for (int dy = -R; dy <= R; ++dy)
        for (int dx = -R; dx <= R; ++dx)
          sum += T(at(x + dx, y + dy) * T(1 + dx + R + 3 * (dy + R)));
      want[size_t(y) * w + x] = sum;
      wantCopy[size_t(h - 1 - y) * w + x] = in[size_t(y) * w + x];
    }
  Buffer<T> input(in), sums(in.size()), copy(in.size());
  tiles<T, X, Y, R, Clamps><<<dim3((w + X - 1) / X, (h + Y - 1) / Y), block>>>(w, h, T(7), input, sums, copy);
  checkLaunch();
  std::string name = std::to_string(sizeof(T)) + " bytes, " + std::to_string(X) + "x" + std::to_string(Y) + " of " +
                     std::to_string(w) + "x" + std::to_string(h);
  expectAll("sums, " + name, sums.get(), want);
  expectAll("copy, " + name, copy.get(), wantCopy);
}

template <class T> static void checkType(Random &random) {
  for (int round = 0; round < 2; ++round) {
    int w = 1 + random.below(90), h = 1 + random.below(70);
    checkTiles<T, 16, 16, 1, false>(w, h, dim3(16, 16), random);
    checkTiles<T, 16, 16, 2, true>(w, h, dim3(16, 16), random);
    checkTiles<T, 13, 7, 1, true>(w, h, dim3(32, 4), random);
    checkTiles<T, 20, 5, 3, false>(w, h, dim3(96), random);
    checkTiles<T, 24, 24, 1, false>(w, h, dim3(32, 32), random);
    checkTiles<T, 9, 11, 1, false>(w, h, dim3(11, 9), random);
  }
}

/// Rows of 5 elements, each of which lies anywhere: `starts` is data, so the lanes of a row have no common address.
__global__ static void gathered(const int *starts, const int *in, int *out) {
  int t = threadIdx.y * 16 + threadIdx.x;
  out[t] = in[starts[t / 5] + t % 5];
}

/// Rows of 20 elements in turn from the front and from the back; the back's fall.
__global__ static void turned(int n, const int *in, int *out) {
  int t = threadIdx.y * 16 + threadIdx.x, row = t / 20, column = t % 20;
  out[row * 20 + (row % 2 ? 19 - column : column)] = in[row % 2 ? n - 1 - t : t];
}

/// Two lanes store to each place: the higher one's value stays in one warp's order, so both store the same here.
__global__ static void overlapping(const int *in, int *out) {
  int t = threadIdx.y * 16 + threadIdx.x;
  out[t / 24 * 12 + t % 24] = in[t / 24 * 12 + t % 24];
}

/// Of 32 bits, wrapped around by a factor that is not known: only lanes with an index below 64 read.
__global__ static void wrapping(unsigned factor, const int *in, int *out) {
  unsigned t = threadIdx.y * 16 + threadIdx.x, i = t / 20 * factor + t % 20;
  out[t] = i < 64 ? in[i] : -1;
}

static void checkRows(Random &random) {
  std::vector<int> in(512), starts(52);
  for (int &cell : in)
    cell = random.below(1000);
  for (int &start : starts)
    start = random.below(500);
  std::vector<int> wantGathered(256), wantTurned(256, -5), wantOverlapping(256, -5), wantWrapping(256);
  unsigned factor = 0x80000000u + 3;
  for (unsigned t = 0; t < 256; ++t) {
    unsigned row = t / 20, column = t % 20, index = row * factor + column;
    wantGathered[t] = in[starts[t / 5] + t % 5];
    if (row * 20 + 19 < 256)
      wantTurned[row * 20 + (row % 2 ? 19 - column : column)] = in[row % 2 ? 512 - 1 - t : t];
    wantOverlapping[t / 24 * 12 + t % 24] = in[t / 24 * 12 + t % 24];
    wantWrapping[t] = index < 64 ? in[index] : -1;
  }
  Buffer<int> input(in), first(starts), out(std::vector<int>(260, -5));
  auto check = [&](const char *name, const std::vector<int> &want) {
    checkLaunch();
    std::vector<int> got = out.get();
    got.resize(want.size());
    expectAll(name, got, want);
    out.put(std::vector<int>(260, -5));
  };
  gathered<<<1, dim3(16, 16)>>>(first, input, out);
  check("gathered", wantGathered);
  turned<<<1, dim3(16, 15)>>>(512, input, out);
  check("turned", wantTurned);
  overlapping<<<1, dim3(16, 16)>>>(input, out);
  check("overlapping", wantOverlapping);
  wrapping<<<1, dim3(16, 16)>>>(factor, input, out);
  check("wrapping", wantWrapping);
}

int main() {
  Random random(71);
  checkType<float>(random);
  checkType<unsigned char>(random);
  checkType<double>(random);
  checkRows(random);
  return finish();
}
