// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on vectors (cuBLAS Library, "cuBLAS Level-1 Function Reference").
//
// A vector of n elements with increment inc lies, as in BLAS, backwards in memory where inc is negative: element i is at
// x[i * inc] or x[(i - n + 1) * inc]. Norms, sums and the place of the largest element are 0 where inc is not positive.
// OpenBLAS counts in 32 bits, so vectors go to it in pieces.
#include "blas/handle.h"
#include "blas/openblas.h"

namespace heddle::blas {

namespace {

enum Extreme { Largest, Smallest };
enum Form { Plain, Conjugated };

constexpr int64_t PieceLength = 1 << 30;

/// Calls f(start, count) for pieces of n elements that OpenBLAS can take.
template <typename F> void inPieces(int64_t n, F f) {
  for (int64_t start = 0; start < n; start += PieceLength)
    f(start, static_cast<int>(std::min(PieceLength, n - start)));
}

template <typename T>
cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const T *alpha, const T *x, int64_t incx,
                    T *y, int64_t incy) {
  if (cublasStatus_t bad = check(handle, alpha, {incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    inPieces(n, [&](int64_t start, int count) {
      HEDDLE_BLAS(T, axpy)(count, pass(a), piece(x, n, incx, start, count), incx,
                           piece(y, n, incy, start, count), incy);
    });
  });
}

template <typename T>
cublasStatus_t copy(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, T *y,
                    int64_t incy) {
  if (cublasStatus_t bad = check(handle, true, {incx, incy}))
    return bad;
  return submit(handle, [=] {
    inPieces(n, [&](int64_t start, int count) {
      HEDDLE_BLAS(T, copy)(count, piece(x, n, incx, start, count), incx,
                           piece(y, n, incy, start, count), incy);
    });
  });
}

template <typename T>
cublasStatus_t swap(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy) {
  if (cublasStatus_t bad = check(handle, true, {incx, incy}))
    return bad;
  return submit(handle, [=] {
    inPieces(n, [&](int64_t start, int count) {
      HEDDLE_BLAS(T, swap)(count, piece(x, n, incx, start, count), incx,
                           piece(y, n, incy, start, count), incy);
    });
  });
}

template <typename T, typename A>
cublasStatus_t scal(cublasHandle_t handle, int64_t n, const A *alpha, T *x, int64_t incx) {
  if (cublasStatus_t bad = check(handle, alpha, {incx}))
    return bad;
  if (incx <= 0)
    return CUBLAS_STATUS_SUCCESS;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const A a = alpha.get();
    inPieces(n, [&](int64_t start, int count) {
      T *first = piece(x, n, incx, start, count);
      if constexpr (std::is_same_v<T, A>)
        HEDDLE_BLAS(T, scal)(count, pass(a), first, incx);
      else
        HEDDLE_BLAS_OF(T, sscal, dscal, csscal, zdscal)(count, a, first, incx);
    });
  });
}

/// The sum of magnitudes of a piece. OpenBLAS's functions on complex vectors lose elements in some versions.
template <typename T> Real<T> sumOfPiece(int count, const T *x, int incx) {
  if constexpr (!IsComplex<T>)
    return HEDDLE_BLAS_OF(T, sasum, dasum, sasum, dasum)(count, x, incx);
  Real<T> sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += magnitude(x[i * incx]);
  return sum;
}

template <typename T, typename R>
cublasStatus_t asum(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result) {
  if (cublasStatus_t bad = check(handle, result, {incx}))
    return bad;
  return submitResult(handle, [=] {
    R sum = 0;
    inPieces(incx > 0 ? n : 0,
             [&](int64_t start, int count) { sum += sumOfPiece(count, x + start * incx, incx); });
    *result = sum;
  });
}

template <typename T, typename R>
cublasStatus_t nrm2(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result) {
  if (cublasStatus_t bad = check(handle, result, {incx}))
    return bad;
  return submitResult(handle, [=] {
    R norm = 0;
    inPieces(incx > 0 ? n : 0, [&](int64_t start, int count) {
      R part = HEDDLE_BLAS_OF(T, snrm2, dnrm2, scnrm2, dznrm2)(count, x + start * incx, incx);
      norm = start == 0 ? part : std::hypot(norm, part);
    });
    *result = norm;
  });
}

/// The product of two vectors. OpenBLAS's functions on complex vectors are called where these are contiguous: with
/// increments some of their kernels read beside the vectors.
template <typename T, Form form>
T product(int64_t n, const T *x, int64_t incx, const T *y, int64_t incy) {
  T sum{};
  if (IsComplex<T> && (incx != 1 || incy != 1)) {
    for (int64_t i = 0; i < n; ++i) {
      T xi = element(x, n, incx, i);
      sum = sum + (form == Plain ? xi : conjugate(xi)) * element(y, n, incy, i);
    }
    return sum;
  }
  inPieces(n, [&](int64_t start, int count) {
    const T *xs = piece(x, n, incx, start, count), *ys = piece(y, n, incy, start, count);
    if constexpr (!IsComplex<T>) {
      sum += HEDDLE_BLAS_OF(T, sdot, ddot, sdot, ddot)(count, xs, incx, ys, incy);
    } else {
      T part;
      auto &function = form == Plain
                           ? HEDDLE_BLAS_OF(T, cdotu_sub, zdotu_sub, cdotu_sub, zdotu_sub)
                           : HEDDLE_BLAS_OF(T, cdotc_sub, zdotc_sub, cdotc_sub, zdotc_sub);
      function(count, xs, incx, ys, incy, &part);
      sum = sum + part;
    }
  });
  return sum;
}

template <typename T, Form form>
cublasStatus_t dot(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                   int64_t incy, T *result) {
  if (cublasStatus_t bad = check(handle, result, {incx, incy}))
    return bad;
  return submitResult(handle, [=] { *result = product<T, form>(n, x, incx, y, incy); });
}

/// The place of the first element of largest or smallest magnitude, from 1 on. Written out, since OpenBLAS has no
/// promise on which of several it is.
template <Extreme extreme, typename T> int64_t placeOf(int64_t n, const T *x, int64_t incx) {
  if (n <= 0 || incx <= 0)
    return 0;
  int64_t best = 0;
  Real<T> size = magnitude(x[0]);
  for (int64_t i = 1; i < n; ++i) {
    Real<T> other = magnitude(x[i * incx]);
    if (extreme == Largest ? other > size : other < size)
      size = other, best = i;
  }
  return best + 1;
}

template <Extreme extreme, typename T, typename I>
cublasStatus_t indexOf(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, I *result) {
  if (cublasStatus_t bad = check(handle, result))
    return bad;
  return submitResult(handle, [=] { *result = placeOf<extreme>(n, x, incx); });
}

template <typename T, typename C, typename S>
cublasStatus_t rot(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                   const C *c, const S *s) {
  if (cublasStatus_t bad = check(handle, c && s))
    return bad;
  return submit(handle, [=, c = Scalar(handle, c), s = Scalar(handle, s)] {
    const C cosine = c.get();
    const S sine = s.get();
    for (int64_t i = 0; i < n; ++i) {
      T &xi = element(x, n, incx, i), &yi = element(y, n, incy, i);
      T turned = cosine * xi + sine * yi;
      yi = cosine * yi - conjugate(sine) * xi;
      xi = turned;
    }
  });
}

template <typename T, typename R>
cublasStatus_t rotg(cublasHandle_t handle, T *a, T *b, R *c, T *s) {
  if (cublasStatus_t bad = check(handle, a && b && c && s))
    return bad;
  return submitScalars(handle, [=] { HEDDLE_BLAS(T, rotg)(a, b, c, s); });
}

/// The five numbers that say what a modified rotation is.
template <typename T> struct Rotation {
  T numbers[5];
};

template <typename T>
cublasStatus_t rotm(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                    const T *param) {
  if (cublasStatus_t bad = check(handle, param, {incx, incy}))
    return bad;
  auto all = Scalar(handle, reinterpret_cast<const Rotation<T> *>(param));
  return submit(handle, [=] {
    const Rotation<T> rotation = all.get();
    inPieces(n, [&](int64_t start, int count) {
      HEDDLE_BLAS_OF(T, srotm, drotm, srotm, drotm)
      (count, piece(x, n, incx, start, count), incx, piece(y, n, incy, start, count), incy,
       rotation.numbers);
    });
  });
}

template <typename T>
cublasStatus_t rotmg(cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param) {
  if (cublasStatus_t bad = check(handle, d1 && d2 && x1 && y1 && param))
    return bad;
  return submitScalars(
      handle, [=] { HEDDLE_BLAS_OF(T, srotmg, drotmg, srotmg, drotmg)(d1, d2, x1, *y1, param); });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/level1.inc"
#include "blas/define_entries.inc"
