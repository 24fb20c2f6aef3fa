// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=coalesce-frame-slots %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices with tiles in shared memory that are copies of global memory and need not be: every way to write
// them down, and kernels like them whose tiles are no copies, or are no longer.
#include "support.h"

/// Square tiles as textbooks have them; padded rows; indices of several types.
template <class T, class Index, int Tile, int Padding>
__global__ __launch_bounds__(Tile * Tile) void square(int n, const T *a, const T *b, T *c) {
  __shared__ T tileA[Tile][Tile + Padding], tileB[Tile][Tile + Padding];
  Index x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  T sum = 0;
  for (Index start = 0; start < Index(n); start += Tile) {
    tileA[y][x] = a[row * n + start + x];
    tileB[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// Pointers that walk, and tiles in one array of dynamic shared memory.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void walks(int n, const int *a, const int *b, int *c) {
  extern __shared__ int tiles[];
  int *tileA = tiles, *tileB = tiles + Tile * Tile, x = threadIdx.x, y = threadIdx.y, sum = 0;
  const int *fromA = a + n * Tile * blockIdx.y, *end = fromA + n, *fromB = b + Tile * blockIdx.x;
  for (; fromA < end; fromA += Tile, fromB += Tile * n) {
    tileA[y * Tile + x] = fromA[y * n + x];
    tileB[y * Tile + x] = fromB[y * n + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y * Tile + k] * tileB[k * Tile + x];
    __syncthreads();
  }
  c[(blockIdx.y * Tile + y) * n + blockIdx.x * Tile + x] = sum;
}

/// A row of threads copies; two tiles take turns, one wait a round.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void turns(int n, const int *a, const int *b, int *c) {
  __shared__ int tileA[2][Tile * Tile], tileB[2][Tile * Tile];
  int thread = threadIdx.x, x = thread % Tile, y = thread / Tile, sum = 0, now = 0;
  int column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  for (int start = 0; start < n; start += Tile, now ^= 1) {
    tileA[now][thread] = a[row * n + start + x];
    tileB[now][thread] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[now][y * Tile + k] * tileB[now][k * Tile + x];
  }
  c[row * n + column] = sum;
}

/// 2x2 sums a thread, each of which copies four elements of each tile; C may be A or B if one block computes it all.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void four(int n, const int *a, const int *b, int *c) {
  constexpr int Wide = 2 * Tile;
  __shared__ int tileA[Wide][Wide], tileB[Wide][Wide];
  int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * Wide, top = blockIdx.y * Wide;
  int sums[2][2] = {};
  for (int start = 0; start < n; start += Wide) {
    for (int i = 0; i < Wide; i += Tile)
      for (int j = 0; j < Wide; j += Tile) {
        tileA[y + i][x + j] = a[(top + y + i) * n + start + x + j];
        tileB[y + i][x + j] = b[(start + y + i) * n + left + x + j];
      }
    __syncthreads();
    for (int k = 0; k < Wide; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          sums[i][j] += tileA[y + i * Tile][k] * tileB[k][x + j * Tile];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      c[(top + y + i * Tile) * n + left + x + j * Tile] = sums[i][j];
}

/// 4x4 sums a thread, A stored transposed by structures, both fetched a round ahead, two tiles in turns: as libraries do it.
template <int Slice> __global__ void ahead(int n, const float *a, const float *b, float *c) {
  constexpr int Tile = 64;
  __shared__ __align__(16) float sliceA[2][Slice][Tile], sliceB[2][Slice][Tile];
  int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  int rowA = thread / (Slice / 4), columnA = thread % (Slice / 4) * 4, rowB = thread / 16, columnB = thread % 16 * 4;
  bool copies = thread < Tile * Slice / 4;
  const float *fromA = a + (blockIdx.y * Tile + rowA) * n + columnA, *fromB = b + rowB * n + blockIdx.x * Tile + columnB;
  float4 nextA = {}, nextB = {};
  if (Slice == 16 || copies)
    nextA = *(const float4 *)fromA, nextB = *(const float4 *)fromB;
  float sums[4][4] = {};
  int now = 0;
  for (int start = 0; start < n; start += Slice) {
    if (Slice == 16 || copies) {
      sliceA[now][columnA + 0][rowA] = nextA.x;
      sliceA[now][columnA + 1][rowA] = nextA.y;
      sliceA[now][columnA + 2][rowA] = nextA.z;
      sliceA[now][columnA + 3][rowA] = nextA.w;
      *(float4 *)&sliceB[now][rowB][columnB] = nextB;
    }
    __syncthreads();
    if (start + Slice < n && (Slice == 16 || copies)) {
      nextA = *(const float4 *)(fromA + start + Slice);
      nextB = *(const float4 *)(fromB + (start + Slice) * n);
    }
#pragma unroll
    for (int k = 0; k < Slice; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          sums[i][j] += sliceA[now][k][4 * y + i] * sliceB[now][k][4 * x + j];
    now ^= 1;
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * Tile + 4 * y + i) * n + blockIdx.x * Tile + 4 * x + j] = sums[i][j];
}

/// Matrices of any size: what lies outside counts as 0.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void guarded(int n, const int *a, const int *b, int *c) {
  __shared__ int tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y, sum = 0;
  for (int start = 0; start < n; start += Tile) {
    tileA[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0;
    tileB[y][x] = start + y < n && column < n ? b[(start + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

/// The tile of A is stored turned over, that of B is twice what was loaded: no copies.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void changed(int n, const int *a, const int *b, int *c) {
  __shared__ int tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y, sum = 0;
  for (int start = 0; start < n; start += Tile) {
    tileA[x][y] = a[row * n + start + x];
    tileB[y][x] = 2 * b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[k][y] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum / 2;
}

/// Only the first round's tile of A is a copy; later rounds keep it. B's rows are A's columns.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void kept(int n, const int *a, const int *b, int *c) {
  __shared__ int tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y, sum = 0;
  for (int start = 0; start < n; start += Tile) {
    if (start == 0)
      tileA[y][x] = a[row * n + x];
    tileB[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// What one round writes to global memory the next one copies.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void feedsBack(int n, const int *a, const int *b, int *c) {
  __shared__ int tileA[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, i = y * Tile + x;
  c[i] = a[y * n + x];
  __syncthreads();
  for (int round = 0; round < 5; ++round) {
    tileA[y][x] = c[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * b[k * n + x];
    c[i] = sum & 15;
    __syncthreads();
  }
}

/// A loop around the loop: the product of the first is the left factor of the second, in place.
template <int Tile> __global__ __launch_bounds__(Tile * Tile) void again(int n, int *a, const int *b, int) {
  __shared__ int tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  for (int times = 0; times < 2; ++times) {
    int sum = 0;
    for (int start = 0; start < n; start += Tile) {
      tileA[y][x] = a[y * n + start + x];
      tileB[y][x] = b[(start + y) * n + x];
      __syncthreads();
      for (int k = 0; k < Tile; ++k)
        sum += tileA[y][k] * tileB[k][x];
      __syncthreads();
    }
    a[y * n + x] = sum & 15;
    __syncthreads();
  }
}

std::vector<int> product(int n, const std::vector<int> &a, const std::vector<int> &b) {
  std::vector<int> c(n * n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}

struct Matrices {
  explicit Matrices(int n) : n(n), a(n * n), b(n * n) {
    Random random(n);
    for (int &v : a)
      v = random.below(200) - 100;
    for (int &v : b)
      v = random.below(200) - 100;
    want = product(n, a, b);
  }
  int n;
  std::vector<int> a, b, want;
};

template <class Launch> void check(const char *name, const Matrices &m, Launch launch) {
  Buffer<int> a(m.a), b(m.b), c(m.n * m.n);
  launch(m.n, (int *)a, (int *)b, (int *)c);
  checkLaunch();
  expectAll(name + std::string(" ") + std::to_string(m.n), c.get(), m.want);
}

template <class T, class Index, int Tile, int Padding> void checkSquare(const char *name, int tiles) {
  Matrices m(tiles * Tile);
  std::vector<T> inA(m.a.begin(), m.a.end()), inB(m.b.begin(), m.b.end()), want(m.want.begin(), m.want.end());
  Buffer<T> a(inA), b(inB), c(m.n * m.n);
  square<T, Index, Tile, Padding><<<dim3(tiles, tiles), dim3(Tile, Tile)>>>(m.n, a, b, c);
  checkLaunch();
  expectAll(name, c.get(), want);
}

template <int Tile> void checkOthers(int tiles) {
  Matrices m(tiles * Tile);
  dim3 grid(tiles, tiles), block(Tile, Tile);
  check("walks", m, [&](int n, int *a, int *b, int *c) {
    walks<Tile><<<grid, block, 2 * Tile * Tile * sizeof(int)>>>(n, a, b, c);
  });
  check("turns", m, [&](int n, int *a, int *b, int *c) { turns<Tile><<<grid, Tile * Tile>>>(n, a, b, c); });
  check("changed", m, [&](int n, int *a, int *b, int *c) { changed<Tile><<<grid, block>>>(n, a, b, c); });
  if (tiles % 2 == 0)
    check("four", m, [&](int n, int *a, int *b, int *c) {
      four<Tile><<<dim3(tiles / 2, tiles / 2), block>>>(n, a, b, c);
    });
  Matrices sum = m; // of the first columns of A and all rows of B, added up
  for (int i = 0; i < m.n; ++i)
    for (int j = 0; j < m.n; ++j) {
      sum.want[i * m.n + j] = 0;
      for (int k = 0; k < m.n; ++k)
        sum.want[i * m.n + j] += m.a[i * m.n + k % Tile] * m.b[k * m.n + j];
    }
  check("kept", sum, [&](int n, int *a, int *b, int *c) { kept<Tile><<<grid, block>>>(n, a, b, c); });
  for (int n : {m.n - 1, m.n - Tile + 1, m.n + 3})
    if (n > 0)
      check("guarded", Matrices(n), [&](int n, int *a, int *b, int *c) {
        int blocks = (n + Tile - 1) / Tile;
        guarded<Tile><<<dim3(blocks, blocks), block>>>(n, a, b, c);
      });
}

/// The result takes the place of a factor: one block computes it all.
template <int Tile> void checkInPlace() {
  Matrices m(2 * Tile), one(Tile);
  for (bool isLeft : {true, false}) {
    Buffer<int> a(m.a), b(m.b);
    four<Tile><<<1, dim3(Tile, Tile)>>>(m.n, a, b, isLeft ? a : b);
    checkLaunch();
    expectAll(isLeft ? "in A" : "in B", (isLeft ? a : b).get(), m.want);
    Buffer<int> c(one.a), d(one.b);
    square<int, int, Tile, 0><<<1, dim3(Tile, Tile)>>>(one.n, c, d, isLeft ? c : d);
    checkLaunch();
    expectAll(isLeft ? "one tile in A" : "one tile in B", (isLeft ? c : d).get(), one.want);
  }
}

/// Into a third matrix, and over a factor where one block computes it all.
template <int Slice> void checkAhead(int blocks) {
  Matrices m(64 * blocks);
  std::vector<float> inA(m.a.begin(), m.a.end()), inB(m.b.begin(), m.b.end()), want(m.want.begin(), m.want.end());
  for (int place : {0, 1, 2}) {
    Buffer<float> a(inA), b(inB), c(m.n * m.n);
    Buffer<float> &out = place == 0 ? c : place == 1 ? a : b;
    if (place > 0 && blocks > 1)
      break;
    ahead<Slice><<<dim3(blocks, blocks), 256>>>(m.n, a, b, out);
    checkLaunch();
    expectAll("ahead " + std::to_string(place), out.get(), want);
  }
}

template <int Tile> void checkFeedback() {
  Matrices m(Tile);
  std::vector<int> want = m.a;
  for (int round = 0; round < 5; ++round) {
    want = product(Tile, want, m.b);
    for (int &v : want)
      v &= 15;
  }
  Buffer<int> a(m.a), b(m.b), c(Tile * Tile);
  feedsBack<Tile><<<1, dim3(Tile, Tile)>>>(Tile, a, b, c);
  checkLaunch();
  expectAll("feedsBack", c.get(), want);

  want = m.a;
  for (int times = 0; times < 2; ++times) {
    want = product(Tile, want, m.b);
    for (int &v : want)
      v &= 15;
  }
  again<Tile><<<1, dim3(Tile, Tile)>>>(Tile, a, b, 0);
  checkLaunch();
  expectAll("again", a.get(), want);
}

int main() {
  checkSquare<int, int, 16, 0>("16", 5);
  checkSquare<float, int, 16, 0>("16 floats", 6);
  checkSquare<float, int, 32, 0>("32 floats", 4);
  checkSquare<double, unsigned, 16, 1>("16 doubles", 5);
  checkSquare<float, size_t, 8, 2>("8 floats", 7);
  checkSquare<short, long long, 12, 0>("12 shorts", 5);
  checkSquare<unsigned, unsigned, 10, 1>("10", 9);
  checkSquare<int, int, 3, 0>("3", 11);
  checkOthers<16>(4);
  checkOthers<32>(3);
  checkOthers<8>(6);
  checkOthers<10>(5);
  checkInPlace<16>();
  checkInPlace<8>();
  checkAhead<16>(1);
  checkAhead<16>(3);
  checkAhead<8>(1);
  checkAhead<8>(2);
  checkFeedback<16>();
  checkFeedback<32>();
  return finish();
}
