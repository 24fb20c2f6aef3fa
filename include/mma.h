// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma: products of matrices by a warp (CUDA guide, "Warp Matrix Functions"). Where the
// elements of a fragment lie is left open there. Here they lie as mma.sync wants them
// (heddle/matrix_fragments.h), and a product is one or more of these instructions. So sums are
// those of src/frontend/ptx/lower/mma.cpp: products are exact, sums are rounded to float one after
// the other, and results of halves once.
#ifndef HEDDLE_MMA_H
#define HEDDLE_MMA_H

#if defined(__cplusplus)
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_MMA_H__

#if defined(__CUDACC__) && defined(__CUDA__)
#include "heddle/matrix_fragments.h"

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };

using __heddle_matrix::accumulator;
using __heddle_matrix::col_major;
using __heddle_matrix::matrix_a;
using __heddle_matrix::matrix_b;
using __heddle_matrix::row_major;

namespace precision = __heddle_matrix::precision;

namespace experimental {
namespace precision = __heddle_matrix::small_precision;
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/// A lane's part of a matrix. A shape or type that the guide does not list is incomplete.
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment : public __heddle_matrix::Fragment<Use, m, n, k, T, Layout> {};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
HEDDLE_D void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &value) {
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = value;
}

/// `stride` is the distance between rows (columns) in elements.
template <class Use, int m, int n, int k, class T, class Layout, class Memory>
HEDDLE_D void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const Memory *p,
                               unsigned stride) {
  using Place = typename fragment<Use, m, n, k, T, Layout>::Place;
  const auto *from = (const typename fragment<Use, m, n, k, T, Layout>::storage_element_type *)p;
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = from[Place::offset(i, stride, Layout::__heddle_is_row)];
}
template <int m, int n, int k, class T>
HEDDLE_D void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned stride,
                               layout_t layout) {
  using Place = typename fragment<accumulator, m, n, k, T>::Place;
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = p[Place::offset(i, stride, layout == mem_row_major)];
}
template <int m, int n, int k, class T>
HEDDLE_D void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned stride,
                                layout_t layout) {
  using Place = typename fragment<accumulator, m, n, k, T>::Place;
  for (int i = 0; i < f.num_elements; ++i)
    p[Place::offset(i, stride, layout == mem_row_major)] = f.x[i];
}

/// d = a * b + c. `saturate` keeps integers from wrapping around, and makes infinities the largest
/// number and NaNs 0.
template <int m, int n, int k, class A, class B, class LayoutA, class LayoutB, class D, class C>
HEDDLE_D void mma_sync(fragment<accumulator, m, n, k, D> &d,
                       const fragment<matrix_a, m, n, k, A, LayoutA> &a,
                       const fragment<matrix_b, m, n, k, B, LayoutB> &b,
                       const fragment<accumulator, m, n, k, C> &c, bool saturate = false) {
  static_assert(__is_same(A, B), "both factors have elements of one type");
  __heddle_matrix::multiply<m, n, k, A>(d, a, b, c, saturate);
}

/// The same of bits: the number of those that are set in a ^ b, or in a & b.
template <class LayoutA, class LayoutB>
HEDDLE_D void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, LayoutA> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, LayoutB> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (op == experimental::bmmaBitOpXOR)
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"
                 " {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=r"(d.x[0]), "=r"(d.x[1])
                 : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
  else
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc"
                 " {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=r"(d.x[0]), "=r"(d.x[1])
                 : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
}

/// Rounded to the ten digits of tf32, ties away from zero.
HEDDLE_D float __float_to_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __builtin_bit_cast(float, bits);
}

} // namespace wmma
} // namespace nvcuda

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
#endif
