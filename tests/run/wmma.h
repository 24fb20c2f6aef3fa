// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by nvcuda::wmma of all shapes, types, layouts and strides against plain products of whole numbers.
#pragma once

#include "support.h"

#include <mma.h>

using namespace nvcuda;

template <class T> struct Stored {
  using Type = T;
  static constexpr int bits = 8 * sizeof(T);
};
template <> struct Stored<wmma::precision::tf32> {
  using Type = float;
  static constexpr int bits = 32;
};
template <> struct Stored<wmma::experimental::precision::s4> {
  using Type = int;
  static constexpr int bits = 4;
};
template <> struct Stored<wmma::experimental::precision::u4> {
  using Type = unsigned;
  static constexpr int bits = 4;
};
template <> struct Stored<wmma::experimental::precision::b1> {
  using Type = unsigned;
  static constexpr int bits = 1;
};

/// d = a * b + c, then each element of d is doubled, and b added again. Strides are larger than rows.
template <int m, int n, int k, class T, class Sum, class Result, class LayoutA, class LayoutB>
__global__ void multiply(const typename Stored<T>::Type *a, const typename Stored<T>::Type *b, const Sum *c, Result *d,
                         int strideA, int strideB, int strideC, int strideD, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> left;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sum;
  wmma::fragment<wmma::accumulator, m, n, k, Result> result;
  wmma::fill_fragment(result, Result(1));
  wmma::load_matrix_sync(left, a, strideA);
  wmma::load_matrix_sync(right, b, strideB);
  wmma::load_matrix_sync(sum, c, strideC, layout);
  if constexpr (std::is_same_v<T, wmma::experimental::precision::b1>)
    wmma::bmma_sync(result, left, right, sum);
  else
    wmma::mma_sync(result, left, right, sum);
  for (int i = 0; i < result.num_elements; ++i)
    result.x[i] = Result(float(result.x[i]) * 2);
  wmma::store_matrix_sync(d, result, strideD, layout);
}

/// `bits` of a number at element `at` of packed memory.
template <class T> void put(std::vector<T> &memory, int at, int bits, int value) {
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned>)
    memory[at * bits / 32] |= T((unsigned(value) & ((1u << bits) - 1)) << (at * bits % 32));
  else
    memory[at] = T(float(value));
}

template <int m, int n, int k, class T, class Sum, class Result, class LayoutA, class LayoutB>
void check(const char *name, int least, int most) {
  constexpr bool rowA = std::is_same_v<LayoutA, wmma::row_major>, rowB = std::is_same_v<LayoutB, wmma::row_major>;
  constexpr int bits = Stored<T>::bits, pad = bits < 8 ? 128 : 16;
  for (wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    bool rowC = layout == wmma::mem_row_major;
    Random random(23);
    int strideA = (rowA ? k : m) + pad, strideB = (rowB ? n : k) + pad, strideC = (rowC ? n : m) + 8, strideD = strideC + 8;
    int a[m][k], b[k][n], c[m][n];
    std::vector<typename Stored<T>::Type> left((m + k) * strideA), right((n + k) * strideB);
    std::vector<Sum> sums((m + n) * strideC);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < k; ++j) {
        a[i][j] = random.below(most - least + 1) + least;
        put(left, rowA ? i * strideA + j : j * strideA + i, bits, a[i][j]);
      }
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < n; ++j) {
        b[i][j] = random.below(most - least + 1) + least;
        put(right, rowB ? i * strideB + j : j * strideB + i, bits, b[i][j]);
      }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        c[i][j] = random.below(41) - 20;
        sums[rowC ? i * strideC + j : j * strideC + i] = Sum(float(c[i][j]));
      }
    Buffer<typename Stored<T>::Type> deviceA(left), deviceB(right);
    Buffer<Sum> deviceC(sums);
    Buffer<Result> deviceD((m + n) * strideD);
    multiply<m, n, k, T, Sum, Result, LayoutA, LayoutB>
        <<<1, 32>>>(deviceA, deviceB, deviceC, deviceD, strideA, strideB, strideC, strideD, layout);
    checkLaunch();
    std::vector<Result> got = deviceD.get();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int want = c[i][j];
        for (int l = 0; l < k; ++l)
          want += bits == 1 ? a[i][l] ^ b[l][j] : a[i][l] * b[l][j];
        expect(name, i * n + j, double(float(got[rowC ? i * strideD + j : j * strideD + i])), 2.0 * want);
      }
  }
}

template <int m, int n, int k, class T, class Sum, class Result = Sum> void checkLayouts(const char *name, int least, int most) {
  using wmma::col_major, wmma::row_major;
  check<m, n, k, T, Sum, Result, row_major, col_major>(name, least, most);
  check<m, n, k, T, Sum, Result, col_major, row_major>(name, least, most);
}
template <class T, class Sum, class Result = Sum> void checkShapes(const char *name, int least, int most) {
  checkLayouts<16, 16, 16, T, Sum, Result>(name, least, most);
  checkLayouts<32, 8, 16, T, Sum, Result>(name, least, most);
  checkLayouts<8, 32, 16, T, Sum, Result>(name, least, most);
}
