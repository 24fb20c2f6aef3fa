// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=promote-shared %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are read shifted after they were stored: with rims that only some blocks load, in loops over planes, behind
// a second store to some cells, with what an earlier round left, with cells of other sizes, at any block shape.
#include "support.h"

constexpr int Planes = 5;

__host__ __device__ inline unsigned combined(unsigned here, unsigned left, unsigned right, unsigned up, unsigned down,
                                             unsigned behind) {
  return here * 3 + left * 5 + right * 7 + up * 11 + down * 13 + behind * 17;
}

/// Cells outside of the grid keep what the rounds before have left there: at first `outside`.
template <int X, int Y>
__global__ static void planes(int w, int h, unsigned outside, const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[Y + 2][X + 2];
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  for (int i = threadIdx.y * X + threadIdx.x; i < (X + 2) * (Y + 2); i += X * Y)
    tile[i / (X + 2)][i % (X + 2)] = outside;
  unsigned behind = 0;
  for (int z = 0; z < Planes; ++z) {
    __syncthreads();
    int i = (z * h + y) * w + x;
    unsigned here = in[i];
    tile[ty][tx] = here;
    if (threadIdx.x == 0 && x > 0)
      tile[ty][0] = in[i - 1];
    if (threadIdx.x == X - 1 && x < w - 1)
      tile[ty][X + 1] = in[i + 1];
    if (threadIdx.y == 0 && y > 0)
      tile[0][tx] = in[i - w];
    if (threadIdx.y == Y - 1 && y < h - 1)
      tile[Y + 1][tx] = in[i + w];
    __syncthreads();
    out[i] = combined(here, tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx], behind);
    behind = tile[ty - 1][tx + 1];
  }
}

template <int X, int Y> static void checkPlanes(int columns, int rows) {
  int w = X * columns, h = Y * rows;
  std::vector<unsigned> in(size_t(w) * h * Planes), want(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = unsigned(i) * 2654435761u >> 3;
  const unsigned outside = 99;
  for (int z = 0; z < Planes; ++z)
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        // A corner of a tile is never stored.
        auto at = [&](int z, int dx, int dy) {
          int X0 = x / X * X, Y0 = y / Y * Y, cx = x + dx, cy = y + dy;
          bool isCorner = (cx < X0 || cx >= X0 + X) && (cy < Y0 || cy >= Y0 + Y);
          bool isInside = cx >= 0 && cx < w && cy >= 0 && cy < h;
          return isInside && !isCorner ? in[(size_t(z) * h + cy) * w + cx] : outside;
        };
        unsigned behind = z > 0 ? at(z - 1, 1, -1) : 0;
        want[(size_t(z) * h + y) * w + x] =
            combined(at(z, 0, 0), at(z, -1, 0), at(z, 1, 0), at(z, 0, -1), at(z, 0, 1), behind);
      }
  Buffer<unsigned> input(in), output(in.size());
  planes<X, Y><<<dim3(columns, rows), dim3(X, Y)>>>(w, h, outside, input, output);
  checkLaunch();
  expectAll("planes " + std::to_string(X) + "x" + std::to_string(Y), output.get(), want);
}

/// A row of cells and its rim, written again in part, then read to the left.
template <class T, int N> __global__ static void row(const T *in, T *out, int some) {
  __shared__ T cells[N + 2];
  int t = threadIdx.x, i = blockIdx.x * N + t;
  cells[t + 1] = in[i];
  if (t == 0)
    cells[0] = T(7);
  if (t == N - 1 && blockIdx.x > 0)
    cells[N + 1] = in[i - 1];
  else if (t == N - 1)
    cells[N + 1] = T(9);
  __syncthreads();
  T first = cells[t] * T(2) + cells[t + 2];
  __syncthreads();
  if (t % 3 == 0 && t < some)
    cells[t + 1] = first;
  __syncthreads();
  out[i] = cells[t] * T(3) + cells[t + 1] * T(5) + cells[t + 2] * T(7) + first;
}

template <class T, int N> static void checkRow(const char *name, int some) {
  constexpr int Blocks = 3;
  std::vector<T> in(N * Blocks), want(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = T((i * 37 + 5) % 101);
  for (int block = 0; block < Blocks; ++block) {
    std::vector<T> cells(N + 2), first(N);
    for (int t = 0; t < N; ++t)
      cells[t + 1] = in[block * N + t];
    cells[0] = T(7);
    cells[N + 1] = block > 0 ? in[block * N + N - 2] : T(9);
    for (int t = 0; t < N; ++t)
      first[t] = T(cells[t] * T(2) + cells[t + 2]);
    for (int t = 0; t < N; t += 3)
      if (t < some)
        cells[t + 1] = first[t];
    for (int t = 0; t < N; ++t)
      want[block * N + t] = T(cells[t] * T(3) + cells[t + 1] * T(5) + cells[t + 2] * T(7) + first[t]);
  }
  Buffer<T> input(in), output(in.size());
  row<T, N><<<Blocks, N>>>(input, output, some);
  checkLaunch();
  expectAll(std::string(name) + " " + std::to_string(N), output.get(), want);
}

int main() {
  checkPlanes<32, 8>(3, 3);
  checkPlanes<32, 8>(8, 1);
  checkPlanes<16, 16>(2, 2);
  checkPlanes<64, 4>(2, 3);
  checkPlanes<32, 16>(2, 2);
  checkPlanes<8, 8>(3, 3);
  checkPlanes<33, 5>(2, 2);
  for (int some : {0, 50, 10000}) {
    checkRow<int, 256>("int", some);
    checkRow<int, 512>("int", some);
    checkRow<float, 512>("float", some);
    checkRow<double, 512>("double", some);
    checkRow<unsigned char, 1024>("byte", some);
    checkRow<short, 1000>("short", some);
    checkRow<int, 100>("int", some);
  }
  return finish();
}
