// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=noalias-arguments %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of any size: tiles that are filled under guards, in every way to write them down, and kernels like
// them that read from a tile what an earlier round has left there.
#include "support.h"

/// A product of m x k and k x n numbers; all kernels have these parameters.
template <class T> struct Shape {
  int m, k, n;
  const T *a, *b;
  T *c;
};

template <class T, class Index, int Tile> __global__ __launch_bounds__(Tile * Tile) void choice(Shape<T> p) {
  __shared__ T tileA[Tile][Tile], tileB[Tile][Tile];
  Index x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  Index m = p.m, k = p.k, n = p.n;
  T sum = 0;
  for (Index round = 0; round < (k + Tile - 1) / Tile; ++round) {
    Index start = round * Tile;
    tileA[y][x] = row < m && start + x < k ? p.a[row * k + start + x] : T(0);
    tileB[y][x] = start + y < k && column < n ? p.b[(start + y) * n + column] : T(0);
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < n)
    p.c[row * n + column] = sum;
}

/// By branches, some of them turned around, and with the sizes in other parameters.
template <class T, class Index, int Tile>
__global__ __launch_bounds__(Tile * Tile) void branches(Index m, Index k, Index n, const T *a, const T *b, T *c) {
  __shared__ T tileA[Tile][Tile + 1], tileB[Tile][Tile];
  Index x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * blockDim.x + x, row = blockIdx.y * blockDim.y + y;
  T sum = 0;
  for (Index start = 0; start < k; start += Tile) {
    if (row >= m || k <= start + x)
      tileA[y][x] = 0;
    else
      tileA[y][x] = a[row * k + start + x];
    if (column < n) {
      if (start + y < k)
        tileB[y][x] = b[(start + y) * n + column];
      else
        tileB[y][x] = 0;
    } else {
      tileB[y][x] = 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < Tile; ++i)
      sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

/// What lies outside is not stored, and not read.
template <class T, class Index, int Tile> __global__ __launch_bounds__(Tile * Tile) void noElse(Shape<T> p) {
  __shared__ T tileA[Tile][Tile], tileB[Tile][Tile];
  Index x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  Index m = p.m, k = p.k, n = p.n;
  T sum = 0;
  for (Index start = 0; start < k; start += Tile) {
    if (row < m && start + x < k)
      tileA[y][x] = p.a[row * k + start + x];
    if (start + y < k && column < n)
      tileB[y][x] = p.b[(start + y) * n + column];
    __syncthreads();
    for (Index i = 0; i < Tile && start + i < k; ++i)
      sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < n)
    p.c[row * n + column] = sum;
}

/// What lies outside is not stored, and the sums count what the round before has left there.
template <class T, class Index, int Tile> __global__ __launch_bounds__(Tile * Tile) void leftOver(Shape<T> p) {
  __shared__ T tileA[Tile][Tile], tileB[Tile][Tile];
  Index x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  Index m = p.m, k = p.k, n = p.n;
  T sum = 0;
  for (Index start = 0; start < k; start += Tile) {
    if (row < m && start + x < k)
      tileA[y][x] = p.a[row * k + start + x];
    tileB[y][x] = start + y < k && column < n ? p.b[(start + y) * n + column] : T(1);
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < n)
    p.c[row * n + column] = sum;
}

/// A row of threads; two tiles that take turns, one wait a round; numbers before the first column count too.
template <class T, class Index, int Tile> __global__ __launch_bounds__(Tile * Tile) void turns(Shape<T> p) {
  __shared__ T tileA[2][Tile * Tile], tileB[2][Tile * Tile];
  Index thread = threadIdx.x, x = thread % Tile, y = thread / Tile;
  Index column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y, m = p.m, k = p.k, n = p.n;
  T sum = 0;
  int now = 0;
  for (Index start = 0; start < k + 1; start += Tile, now ^= 1) {
    tileA[now][thread] = row < m && start + x - 1 < k ? p.a[row * k + start + x - 1] : T(0);
    tileB[now][thread] = start + y >= 1 && start + y <= k && column < n ? p.b[(start + y - 1) * n + column] : T(0);
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += tileA[now][y * Tile + i] * tileB[now][i * Tile + x];
  }
  if (row < m && column < n)
    p.c[row * n + column] = sum;
}

/// Each thread has Wide x Wide sums.
template <class T, int Tile, int Wide> __global__ __launch_bounds__(Tile * Tile) void wide(Shape<T> p) {
  constexpr int Side = Tile * Wide;
  __shared__ T tileA[Side][Tile], tileB[Tile][Side];
  int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * Side, top = blockIdx.y * Side;
  T sums[Wide][Wide] = {};
  for (int start = 0; start < p.k; start += Tile) {
    for (int i = 0; i < Side; i += Tile) {
      tileA[y + i][x] = top + y + i < p.m && start + x < p.k ? p.a[(top + y + i) * p.k + start + x] : T(0);
      tileB[y][x + i] = start + y < p.k && left + x + i < p.n ? p.b[(start + y) * p.n + left + x + i] : T(0);
    }
    __syncthreads();
    for (int step = 0; step < Tile; ++step)
      for (int i = 0; i < Wide; ++i)
        for (int j = 0; j < Wide; ++j)
          sums[i][j] += tileA[y + i * Tile][step] * tileB[step][x + j * Tile];
    __syncthreads();
  }
  for (int i = 0; i < Wide; ++i)
    for (int j = 0; j < Wide; ++j)
      if (top + y + i * Tile < p.m && left + x + j * Tile < p.n)
        p.c[(top + y + i * Tile) * p.n + left + x + j * Tile] = sums[i][j];
}

template <class T> struct Matrices {
  Matrices(int m, int k, int n) : m(m), k(k), n(n), a(m * k), b(k * n) {
    Random random(m + 1000 * k + n);
    for (T &v : a)
      v = T(int(random.below(200)) - 100);
    for (T &v : b)
      v = T(int(random.below(200)) - 100);
  }
  /// What the kernels compute; `tile`: with what `leftOver` counts.
  std::vector<T> product(int tile = 1) const {
    std::vector<T> c(m * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int step = 0; step < (k + tile - 1) / tile * tile; ++step)
          c[i * n + j] += step < k ? a[i * k + step] * b[step * n + j] : a[i * k + step - tile];
    return c;
  }
  int m, k, n;
  std::vector<T> a, b;
};

/// The result in a third matrix, or over A or B where one block computes it all.
template <class T, class Launch>
void check(const char *name, const Matrices<T> &in, const std::vector<T> &want, int side, Launch launch) {
  for (int place : {0, 1, 2}) {
    Buffer<T> a(in.a), b(in.b), c(in.m * in.n);
    Buffer<T> &out = place == 0 ? c : place == 1 ? a : b;
    if (place > 0 && (in.m > side || in.n > side || want.size() > (place == 1 ? in.a : in.b).size()))
      continue;
    launch(Shape<T>{in.m, in.k, in.n, a, b, out}, dim3((in.n + side - 1) / side, (in.m + side - 1) / side));
    checkLaunch();
    std::vector<T> got = out.get();
    got.resize(want.size());
    expectAll(std::string(name) + " " + std::to_string(side) + ": " + std::to_string(in.m) + " " +
                  std::to_string(in.k) + " " + std::to_string(in.n) + " in " + std::to_string(place),
              got, want);
  }
}

template <class T, class Index, int Tile> void checkAll(int m, int k, int n) {
  Matrices<T> in(m, k, n);
  std::vector<T> want = in.product();
  dim3 block(Tile, Tile);
  check("choice", in, want, Tile, [&](Shape<T> p, dim3 grid) { choice<T, Index, Tile><<<grid, block>>>(p); });
  check("branches", in, want, Tile, [&](Shape<T> p, dim3 grid) {
    branches<T, Index, Tile><<<grid, block>>>(p.m, p.k, p.n, p.a, p.b, p.c);
  });
  check("noElse", in, want, Tile, [&](Shape<T> p, dim3 grid) { noElse<T, Index, Tile><<<grid, block>>>(p); });
  if (k >= Tile)
    check("leftOver", in, in.product(Tile), Tile,
          [&](Shape<T> p, dim3 grid) { leftOver<T, Index, Tile><<<grid, block>>>(p); });
  check("turns", in, want, Tile, [&](Shape<T> p, dim3 grid) {
    turns<T, std::make_unsigned_t<Index>, Tile><<<grid, Tile * Tile>>>(p);
  });
}

template <int Tile, int Wide> void checkWide(int m, int k, int n) {
  Matrices<int> in(m, k, n);
  check("wide", in, in.product(), Tile * Wide,
        [&](Shape<int> p, dim3 grid) { wide<int, Tile, Wide><<<grid, dim3(Tile, Tile)>>>(p); });
}

int main() {
  for (int n : {1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 95, 96, 97, 100}) {
    checkAll<int, int, 16>(n, n, n);
    checkAll<float, unsigned, 8>(n, n, n);
  }
  for (int n : {3, 32, 64, 97, 100, 128, 150})
    checkAll<float, int, 32>(n, n, n);
  checkAll<int, int, 16>(16, 100, 16);
  checkAll<int, int, 32>(32, 300, 32);
  checkAll<int, int, 16>(1, 90, 70);
  checkAll<int, int, 16>(90, 3, 70);
  checkAll<int, int, 16>(33, 128, 1);
  checkAll<double, size_t, 16>(50, 85, 37);
  checkAll<double, long long, 8>(41, 64, 24);
  checkAll<short, int, 10>(61, 75, 52);
  checkAll<int, int, 3>(10, 20, 15);
  for (int n : {1, 16, 31, 64, 65, 96, 127, 128}) {
    checkWide<16, 2>(n, n, n);
    checkWide<8, 4>(n, n, n);
    checkWide<16, 4>(n, n, n);
  }
  checkWide<16, 2>(64, 100, 32);
  checkWide<16, 4>(70, 130, 140);
  return finish();
}
