// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=unroll-rows,row-gathers %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that go along rows of a matrix, of many lengths and pitches, forwards and backwards, in whole and partial warps
// and blocks. The reference is the same body in plain C++.
#include "support.h"

#include <cstdint>

/// Order matters in all of them.
struct Sum {
  template <class T> __host__ __device__ static T of(const T *row, const T *, int n, int) {
    T sum = 0;
    for (int j = 0; j < n; j++)
      sum = sum * T(3) + row[j];
    return sum;
  }
};

struct Backwards {
  template <class T> __host__ __device__ static T of(const T *row, const T *other, int n, int) {
    T sum = 0;
    for (int j = n - 1; j >= 0; j--)
      sum = sum * T(5) + row[j] * other[n - 1 - j];
    return sum;
  }
};

/// Two rows, and the greatest element's place.
struct Greatest {
  template <class T> __host__ __device__ static T of(const T *row, const T *other, int n, int) {
    T most = 0;
    int at = 0;
    for (int j = 0; j < n; j++) {
      T x = row[j] - other[j];
      at = x > most ? j : at;
      most = x > most ? x : most;
    }
    return most * T(64) + T(at);
  }
};

/// Lanes go round unequally often.
struct Triangle {
  template <class T> __host__ __device__ static T of(const T *row, const T *, int n, int i) {
    T sum = 0;
    for (int j = 0; j < n && j <= i; j++)
      sum = sum * T(3) + row[j];
    return sum;
  }
};

/// Four and five neighbours in straight code, of lanes that part.
struct Pieces {
  template <class T> __host__ __device__ static T of(const T *row, const T *other, int n, int i) {
    T sum = 0;
    for (int j = 0; j + 5 <= n; j += 5)
      if ((i + j) % 3)
        sum += row[j] * T(2) + row[j + 1] * T(3) + row[j + 2] * T(5) + row[j + 3] * T(7) + row[j + 4];
      else
        sum -= other[j] + other[j + 1] * T(3) + other[j + 3] * T(2) + other[j + 2];
    return sum;
  }
};

template <class Body, class T>
__global__ void walk(const T *a, const T *b, T *out, int rows, int pitch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    out[i] = Body::of(a + i * pitch, b + i * pitch, n, i);
}

/// Rows that a block's other dimension shares, and rows that follow from loaded numbers; no guard.
template <class Body, class T>
__global__ void walkChosen(const T *a, const T *b, const int *chosen, T *out, int pitch, int n) {
  int i = chosen[blockIdx.x * blockDim.x + threadIdx.x], j = threadIdx.y;
  out[(blockIdx.x * blockDim.y + j) * blockDim.x + threadIdx.x] =
      Body::of(a + i * pitch, b + j * pitch, n, i) + Body::of(b + threadIdx.x * pitch, a + j * pitch, n, i);
}

template <class Body, class T> static void check(const std::string &name, int rows, int pitch, int n, dim3 block) {
  int threads = block.x * block.y, blocks = (rows + threads - 1) / threads, all = std::max(rows, blocks * threads);
  std::vector<T> a(all * pitch), b(all * pitch), expected(rows), expectedChosen(blocks * threads);
  for (int i = 0; i < all * pitch; i++)
    a[i] = T((i * 7 + i / pitch * 3 + 5) % 17), b[i] = T((i * 5 + i / pitch * 11) % 13);
  std::vector<int> chosen(blocks * block.x);
  for (size_t i = 0; i < chosen.size(); i++)
    chosen[i] = int(i * 13 % all);
  for (int i = 0; i < rows; i++)
    expected[i] = Body::of(&a[i * pitch], &b[i * pitch], n, i);
  for (int t = 0; t < blocks * threads; t++) {
    int x = t % block.x, j = t / block.x % block.y, i = chosen[t / threads * block.x + x];
    expectedChosen[t] = Body::of(&a[i * pitch], &b[j * pitch], n, i) + Body::of(&b[x * pitch], &a[j * pitch], n, i);
  }
  Buffer<T> da(a), db(b), out(rows), outChosen(blocks * threads);
  Buffer<int> dChosen(chosen);
  walk<Body, T><<<(rows + threads - 1) / threads, threads>>>(da, db, out, rows, pitch, n);
  walkChosen<Body, T><<<blocks, block>>>(da, db, dChosen, outChosen, pitch, n);
  checkLaunch();
  std::string where = name + ": " + std::to_string(rows) + " rows of " + std::to_string(n) + ", pitch " +
                      std::to_string(pitch) + ", blocks of " + std::to_string(block.x) + "x" + std::to_string(block.y);
  expectAll(where, out.get(), expected);
  expectAll(where + ", chosen", outChosen.get(), expectedChosen);
}

/// Numbers stay small, or wrap around: both sides are exact.
int main() {
  const dim3 blocks[] = {dim3(32, 8), dim3(128), dim3(33, 3)};
  for (dim3 block : blocks)
    for (int n : {0, 1, 3, 4, 7, 8, 9, 16, 23, 40}) {
      check<Sum, unsigned>("sum of words", 100, n + 1, n, block);
      check<Backwards, unsigned>("backwards", 300, n + 1, n, block);
      check<Triangle, unsigned>("triangle", 100, n + 2, n, block);
      check<Pieces, unsigned>("pieces", 100, n + 1, n, block);
      check<Greatest, float>("greatest of floats", 130, n + 3, n, block);
      check<Sum, uint64_t>("sum of long words", 77, n + 2, n, block);
      check<Pieces, double>("pieces of doubles", 65, n + 1, n, block);
      check<Sum, uint16_t>("sum of halves of words", 64, n + 1, n, block);
    }
  return finish();
}
