// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on the elements of vectors and matrices, for loops that OpenBLAS has no function for.
#pragma once

#include <cuComplex.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace heddle::blas {

template <typename T> struct RealOf {
  using Type = T;
};
template <> struct RealOf<cuComplex> {
  using Type = float;
};
template <> struct RealOf<cuDoubleComplex> {
  using Type = double;
};
/// float for cuComplex.
template <typename T> using Real = typename RealOf<T>::Type;
template <typename T> constexpr bool IsComplex = !std::is_same_v<T, Real<T>>;

#define HEDDLE_COMPLEX(Complex)                                                                    \
  inline Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }                \
  inline Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }                \
  inline Complex operator*(Complex a, Complex b) {                                                 \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                         \
  }                                                                                                \
  inline Complex operator*(Real<Complex> a, Complex b) { return {a * b.x, a * b.y}; }              \
  inline Complex conjugate(Complex a) { return {a.x, -a.y}; }                                      \
  inline bool isZero(Complex a) { return a.x == 0 && a.y == 0; }                                   \
  inline Real<Complex> magnitude(Complex a) { return std::fabs(a.x) + std::fabs(a.y); }
HEDDLE_COMPLEX(cuComplex)
HEDDLE_COMPLEX(cuDoubleComplex)
#undef HEDDLE_COMPLEX

#define HEDDLE_REAL(T)                                                                             \
  inline T conjugate(T a) { return a; }                                                            \
  inline bool isZero(T a) { return a == 0; }                                                       \
  inline T magnitude(T a) { return std::fabs(a); }
HEDDLE_REAL(float)
HEDDLE_REAL(double)
#undef HEDDLE_REAL

/// The address to give to BLAS for the elements start .. start + count - 1 of n.
template <typename T> inline T *piece(T *x, int64_t n, int64_t inc, int64_t start, int64_t count) {
  return inc >= 0 ? x + start * inc : x - (n - start - count) * inc;
}

template <typename T> T &element(T *x, int64_t n, int64_t inc, int64_t i) {
  return *piece(x, n, inc, i, 1);
}

} // namespace heddle::blas
