// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices and vectors: a thread for an element, tiles in shared memory, and tiles of registers.
#include "points.h"

using namespace points;

/// `Across`: neighbours of a warp are in one column, so that loads are not coalesced.
template <class T, bool Across>
__global__ void naive(const T *a, const T *b, T *c, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = Across ? x : y, column = Across ? y : x;
  if (row >= m || column >= n)
    return;
  T sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

template <class T, int Tile> __global__ void tiled(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[Tile][Tile], bs[Tile][Tile];
  const int column = blockIdx.x * Tile + threadIdx.x, row = blockIdx.y * Tile + threadIdx.y;
  T sum = 0;
  for (int i = 0; i < k; i += Tile) {
    as[threadIdx.y][threadIdx.x] = a[row * k + i + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(i + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < Tile; ++j)
      sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// The tile's width is the block's, and known only to the launch.
template <class T> __global__ void anyTile(const T *a, const T *b, T *c, int rows, int inner, int columns) {
  extern __shared__ unsigned char bytes[];
  const int tile = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
  T *as = reinterpret_cast<T *>(bytes), *bs = as + tile * tile;
  const int row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  T sum = 0;
  for (int phase = 0; phase < (inner + tile - 1) / tile; ++phase) {
    const int x = phase * tile + tx, y = phase * tile + ty;
    as[ty * tile + tx] = row < rows && x < inner ? a[row * inner + x] : T(0);
    bs[ty * tile + tx] = y < inner && column < columns ? b[y * columns + column] : T(0);
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum += as[ty * tile + i] * bs[i * tile + tx];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = sum;
}

template <class T> Work product(const Arguments &a) {
  const int m = int(a("m", a("n", 1024))), n = int(a("n", 1024)), k = int(a("k", n)), tile = int(a("tile", 16));
  const std::string kind = a.text("kind", "naive");
  Array<T> x(size_t(m) * k), y(size_t(k) * n), z(size_t(m) * n);
  const dim3 block(tile, tile), grid(blocksFor(n, tile), blocksFor(m, tile));
  twice([&] {
    if (kind == "naive")
      naive<T, false><<<grid, block>>>(x, y, z, m, n, k);
    else if (kind == "across")
      naive<T, true><<<grid, block>>>(x, y, z, m, n, k);
    else if (kind == "any")
      anyTile<T><<<grid, block, 2 * tile * tile * sizeof(T)>>>(x, y, z, m, k, n);
    else if (tile == 32)
      tiled<T, 32><<<grid, block>>>(x, y, z, m, n, k);
    else
      tiled<T, 16><<<grid, block>>>(x, y, z, m, n, k);
  });
  return {double(sizeof(T)) * (double(m) * k + double(k) * n + double(m) * n), 2.0 * m * n * k};
}
POINT(product) { return a.text("type", "float") == "u32" ? product<unsigned>(a) : product<float>(a); }

template <int TM, int TN>
__device__ void addProducts(float (&sums)[TM][TN], const float (&left)[TM], const float (&right)[TN]) {
  for (int y = 0; y < TM; ++y)
    for (int x = 0; x < TN; ++x)
      sums[y][x] += left[y] * right[x];
}

/// A block computes BM x BN elements from slices of BK, a thread TM x TN of them; TN = 1: a column.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM *BN / (TM * TN)) registerTiles(int n, const float *a, const float *b, float *c) {
  constexpr int Threads = BM * BN / (TM * TN);
  __shared__ float as[BM * BK], bs[BK * BN];
  a += blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int row = threadIdx.x / (BN / TN) * TM, column = threadIdx.x % (BN / TN) * TN;
  float sums[TM][TN] = {}, left[TM], right[TN];
  for (int k = 0; k < n; k += BK) {
    for (int from = 0; from < BM * BK; from += Threads) {
      const int i = from + threadIdx.x;
      as[i] = a[i / BK * n + k + i % BK];
    }
    for (int from = 0; from < BK * BN; from += Threads) {
      const int i = from + threadIdx.x;
      bs[i] = b[(k + i / BN) * n + i % BN];
    }
    __syncthreads();
    for (int j = 0; j < BK; ++j) {
      for (int i = 0; i < TM; ++i)
        left[i] = as[(row + i) * BK + j];
      for (int i = 0; i < TN; ++i)
        right[i] = bs[j * BN + column + i];
      addProducts<TM, TN>(sums, left, right);
    }
    __syncthreads();
  }
  for (int y = 0; y < TM; ++y)
    for (int x = 0; x < TN; ++x)
      c[(row + y) * n + column + x] = sums[y][x];
}

/// The same with the left tile transposed, and float4 throughout.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM *BN / (TM * TN)) vectorTiles(int n, const float *a, const float *b, float *c) {
  __shared__ float as[BK * BM], bs[BK * BN];
  a += blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  constexpr int Threads = BM * BN / (TM * TN);
  const int row = threadIdx.x / (BN / TN) * TM, column = threadIdx.x % (BN / TN) * TN;
  float sums[TM][TN] = {}, left[TM], right[TN];
  for (int k = 0; k < n; k += BK) {
    for (int from = 0; from < BM * BK; from += Threads * 4) {
      const int i = from + threadIdx.x * 4, r = i / BK, q = i % BK;
      const float4 four = *reinterpret_cast<const float4 *>(&a[r * n + k + q]);
      as[q * BM + r] = four.x, as[(q + 1) * BM + r] = four.y;
      as[(q + 2) * BM + r] = four.z, as[(q + 3) * BM + r] = four.w;
    }
    for (int from = 0; from < BK * BN; from += Threads * 4) {
      const int i = from + threadIdx.x * 4;
      *reinterpret_cast<float4 *>(&bs[i]) = *reinterpret_cast<const float4 *>(&b[(k + i / BN) * n + i % BN]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BK; ++j) {
      for (int i = 0; i < TM; ++i)
        left[i] = as[j * BM + row + i];
      for (int i = 0; i < TN; ++i)
        right[i] = bs[j * BN + column + i];
      addProducts<TM, TN>(sums, left, right);
    }
    __syncthreads();
  }
  for (int y = 0; y < TM; ++y)
    for (int x = 0; x < TN; x += 4)
      *reinterpret_cast<float4 *>(&c[(row + y) * n + column + x]) =
          make_float4(sums[y][x], sums[y][x + 1], sums[y][x + 2], sums[y][x + 3]);
}

POINT(registerTiles) {
  const int n = int(a("n", 1024));
  const std::string kind = a.text("kind", "plane");
  Array<float> x(size_t(n) * n), y(size_t(n) * n), z(size_t(n) * n);
  twice([&] {
    if (kind == "column")
      registerTiles<64, 64, 8, 8, 1><<<dim3(n / 64, n / 64), 512>>>(n, x, y, z);
    else if (kind == "plane")
      registerTiles<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, x, y, z);
    else
      vectorTiles<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, x, y, z);
  });
  return {12.0 * n * n, 2.0 * n * n * n};
}

template <class T> __global__ void rows(T *out, const T *matrix, const T *vector, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  T sum = 0;
  for (int k = 0; k < n; ++k)
    sum += matrix[i * n + k] * vector[k];
  out[i] = sum;
}
template <class T> __global__ void rowsTiled(T *out, const T *matrix, const T *vector, int m, int n) {
  extern __shared__ unsigned char bytes[];
  T *tile = reinterpret_cast<T *>(bytes);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int from = 0; from < n; from += blockDim.x) {
    tile[threadIdx.x] = from + threadIdx.x < n ? vector[from + threadIdx.x] : T(0);
    __syncthreads();
    if (i < m)
      for (int k = 0; k < blockDim.x && from + k < n; ++k)
        sum += matrix[i * n + from + k] * tile[k];
    __syncthreads();
  }
  if (i < m)
    out[i] = sum;
}
POINT(matrixVector) {
  const int n = int(a("n", 8192)), block = 512;
  Array<unsigned> matrix(size_t(n) * n), vector(n), out(n);
  twice([&] {
    if (a("tiled", 0))
      rowsTiled<unsigned><<<blocksFor(n, block), block, block * 4>>>(out, matrix, vector, n, n);
    else
      rows<unsigned><<<blocksFor(n, block), block>>>(out, matrix, vector, n, n);
  });
  return {4.0 * n * n, 2.0 * n * n};
}
