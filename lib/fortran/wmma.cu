// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What module wmma needs (modules/wmma.cuf): nvcuda::wmma's functions under C names. A matrix in Fortran is a structure
// of the numbers that the lane has. Fragments are copied in and out, for Fortran's variables may not have the alignment
// that C++ gives them. The parts of a factor lie the same whatever its layout in memory, so products take factors of
// one layout for all.
#include <mma.h>

#include <cstring>
#include <type_traits>

using namespace nvcuda;

namespace {

template <class T> __device__ T copyOf(const void *at) {
  T value;
  memcpy(&value.x, at, sizeof value.x);
  return value;
}

template <class T> __device__ void copyTo(void *at, const T &value) { memcpy(at, &value.x, sizeof value.x); }

/// Numbers of tf32 are rounded as they are read, which C++ leaves to the program.
template <class Fragment> __device__ void load(void *at, const void *from, int stride) {
  Fragment f;
  wmma::load_matrix_sync(f, static_cast<const typename Fragment::storage_element_type *>(from), stride);
  if constexpr (std::is_same_v<typename Fragment::element_type, wmma::precision::tf32>)
    for (float &x : f.x)
      x = wmma::__float_to_tf32(x);
  copyTo(at, f);
}

/// Without a layout columns are contiguous.
__device__ wmma::layout_t layoutOf(const int *layout) {
  return layout && *layout ? wmma::mem_row_major : wmma::mem_col_major;
}

template <class Fragment> __device__ Fragment zero() {
  Fragment f;
  wmma::fill_fragment(f, 0.0f);
  return f;
}

/// Which numbers of two operands, each a matrix or a scalar, the mask chooses.
template <class T>
__device__ void merge(T *to, const T *a, bool isMatrixA, const T *b, bool isMatrixB, const char *mask, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = mask[i] ? a[isMatrixA ? i : 0] : b[isMatrixB ? i : 0];
}

__device__ int countOf(const char *mask, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i)
    all += __popc(__ballot_sync(~0u, mask[i] != 0));
  return all;
}

} // namespace

#define FACTOR(Use, use, shape, m, n, k, kind, T, Layout, layout)                                  \
  extern "C" __device__ void heddleMatrixLoad##Use##_##shape##_##kind##_##Layout(void *at, const void *from, \
                                                                                 int stride) {     \
    load<wmma::fragment<wmma::use, m, n, k, T, wmma::layout>>(at, from, stride);                   \
  }
#define FACTORS(shape, m, n, k, kind, T)                                                           \
  FACTOR(A, matrix_a, shape, m, n, k, kind, T, Cmajor, col_major)                                  \
  FACTOR(A, matrix_a, shape, m, n, k, kind, T, Rmajor, row_major)                                  \
  FACTOR(B, matrix_b, shape, m, n, k, kind, T, Cmajor, col_major)                                  \
  FACTOR(B, matrix_b, shape, m, n, k, kind, T, Rmajor, row_major)

#define SUM(shape, m, n, k, kind, T)                                                               \
  extern "C" __device__ void heddleMatrixLoadC_##shape##_##kind(void *at, const T *from, int stride, \
                                                                const int *layout) {               \
    wmma::fragment<wmma::accumulator, m, n, k, T> f;                                               \
    wmma::load_matrix_sync(f, from, stride, layoutOf(layout));                                     \
    copyTo(at, f);                                                                                 \
  }                                                                                                \
  extern "C" __device__ void heddleMatrixStore_##shape##_##kind(T *to, const void *at, int stride, \
                                                                const int *layout) {               \
    auto f = copyOf<wmma::fragment<wmma::accumulator, m, n, k, T>>(at);                            \
    wmma::store_matrix_sync(to, f, stride, layoutOf(layout));                                      \
  }                                                                                                \
  COMPARISON(equal, ==, shape, m, n, kind, T)                                                      \
  COMPARISON(notequal, !=, shape, m, n, kind, T)                                                   \
  COMPARISON(less, <, shape, m, n, kind, T)                                                        \
  COMPARISON(lessequal, <=, shape, m, n, kind, T)                                                  \
  COMPARISON(greater, >, shape, m, n, kind, T)                                                     \
  COMPARISON(greaterequal, >=, shape, m, n, kind, T)

#define COMPARISON(word, op, shape, m, n, kind, T)                                                 \
  extern "C" __device__ void heddle_##word##_##shape##_##kind##_(char *to, const T *a, const T *b) { \
    for (int i = 0; i < m * n / 32; ++i)                                                           \
      to[i] = a[i] op b[i];                                                                        \
  }                                                                                                \
  extern "C" __device__ void heddle_##word##_##shape##_##kind##_scalar_(char *to, const T *a, T b) { \
    for (int i = 0; i < m * n / 32; ++i)                                                           \
      to[i] = a[i] op b;                                                                           \
  }

#define PRODUCT(shape, m, n, k, f, Factor, d, D)                                                   \
  extern "C" __device__ void heddleMatrixMultiply_##shape##_##f##_##d(void *to, const void *a, const void *b) { \
    wmma::fragment<wmma::accumulator, m, n, k, D> sum;                                             \
    wmma::mma_sync(sum, copyOf<wmma::fragment<wmma::matrix_a, m, n, k, Factor, wmma::col_major>>(a), \
                   copyOf<wmma::fragment<wmma::matrix_b, m, n, k, Factor, wmma::col_major>>(b),    \
                   zero<wmma::fragment<wmma::accumulator, m, n, k, D>>());                         \
    copyTo(to, sum);                                                                               \
  }
#define PRODUCT_AND_SUM(shape, m, n, k, f, Factor, d, D, c, C)                                     \
  extern "C" __device__ void heddleMatrixMultiply_##shape##_##f##_##d##_##c(                       \
      void *to, const void *a, const void *b, const void *addend) {                                \
    wmma::fragment<wmma::accumulator, m, n, k, D> sum;                                             \
    wmma::mma_sync(sum, copyOf<wmma::fragment<wmma::matrix_a, m, n, k, Factor, wmma::col_major>>(a), \
                   copyOf<wmma::fragment<wmma::matrix_b, m, n, k, Factor, wmma::col_major>>(b),    \
                   copyOf<wmma::fragment<wmma::accumulator, m, n, k, C>>(addend));                 \
    copyTo(to, sum);                                                                               \
  }
#define PRODUCTS(shape, m, n, k, f, Factor, d, D)                                                  \
  FACTORS(shape, m, n, k, f, Factor)                                                               \
  PRODUCT(shape, m, n, k, f, Factor, d, D)                                                         \
  PRODUCT_AND_SUM(shape, m, n, k, f, Factor, d, D, d, D)

#define SHAPE16(shape, m, n, k)                                                                    \
  SUM(shape, m, n, k, 2, __half)                                                                   \
  SUM(shape, m, n, k, 4, float)                                                                    \
  SUM(shape, m, n, k, i4, int)                                                                     \
  PRODUCTS(shape, m, n, k, 2, __half, 2, __half)                                                   \
  PRODUCT(shape, m, n, k, 2, __half, 4, float)                                                     \
  PRODUCT_AND_SUM(shape, m, n, k, 2, __half, 2, __half, 4, float)                                  \
  PRODUCT_AND_SUM(shape, m, n, k, 2, __half, 4, float, 2, __half)                                  \
  PRODUCT_AND_SUM(shape, m, n, k, 2, __half, 4, float, 4, float)                                   \
  PRODUCTS(shape, m, n, k, 3, __nv_bfloat16, 4, float)                                             \
  PRODUCTS(shape, m, n, k, i1, signed char, i4, int)

SHAPE16(m16n16k16, 16, 16, 16)
SHAPE16(m8n32k16, 8, 32, 16)
SHAPE16(m32n8k16, 32, 8, 16)
SUM(m16n16k8, 16, 16, 8, 4, float)
PRODUCTS(m16n16k8, 16, 16, 8, tf32, wmma::precision::tf32, 4, float)
SUM(m8n8k4, 8, 8, 4, 8, double)
PRODUCTS(m8n8k4, 8, 8, 4, 8, double, 8, double)

#define FILL(kind, T, other, Other, count)                                                         \
  extern "C" __device__ void heddleMatrixFill_##kind##_##other(T *to, Other value) {              \
    for (int i = 0; i < count; ++i)                                                                \
      to[i] = T(value);                                                                            \
  }
#define MERGE(kind, T, count)                                                                      \
  extern "C" __device__ void heddleMatrixMergeMM_##kind(T *to, const T *a, const T *b, const char *mask) { \
    merge(to, a, true, b, true, mask, count);                                                      \
  }                                                                                                \
  extern "C" __device__ void heddleMatrixMergeMS_##kind(T *to, const T *a, T b, const char *mask) { \
    merge(to, a, true, &b, false, mask, count);                                                    \
  }                                                                                                \
  extern "C" __device__ void heddleMatrixMergeSM_##kind(T *to, T a, const T *b, const char *mask) { \
    merge(to, &a, false, b, true, mask, count);                                                    \
  }                                                                                                \
  extern "C" __device__ void heddleMatrixMergeSS_##kind(T *to, T a, T b, const char *mask) {      \
    merge(to, &a, false, &b, false, mask, count);                                                  \
  }
#define REDUCTIONS(count, all)                                                                     \
  extern "C" __device__ int heddleMatrixAny_##count(const char *mask) { return countOf(mask, count) > 0; } \
  extern "C" __device__ int heddleMatrixAll_##count(const char *mask) { return countOf(mask, count) == all; } \
  extern "C" __device__ int heddleMatrixCount_##count(const char *mask) { return countOf(mask, count); }

FILL(2, __half, 2, __half, 8)
FILL(2, __half, 4, float, 8)
FILL(4, float, 4, float, 8)
FILL(8, double, 4, float, 2)
FILL(8, double, 8, double, 2)
FILL(i4, int, i4, int, 8)
MERGE(2, __half, 8)
MERGE(4, float, 8)
MERGE(8, double, 2)
MERGE(i4, int, 8)
REDUCTIONS(8, 256)
REDUCTIONS(2, 64)
