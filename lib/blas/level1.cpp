// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on vectors (cuBLAS Library, "cuBLAS Level-1 Function Reference").
//
// A vector of n elements with increment inc lies, as in BLAS, backwards in memory where inc is
// negative: element i is at x[i * inc] or x[(i - n + 1) * inc]. Norms, sums and the place of the
// largest element are 0 where inc is not positive. OpenBLAS counts in 32 bits, so vectors go to it
// in pieces.
//
// A GPU's sums of many numbers are as exact as thousands of threads make them, of which each adds
// up a few. One core that adds up as many in order loses digits: 2^28 equal products of floats were
// off by a half in a thousand. So sums go to OpenBLAS in parts of 1,024 elements, over all cores,
// and the parts' sums are added up as doubles, which gives the same bits with any number of cores.
#include "blas/handle.h"
#include "blas/openblas.h"
#include "support/parallel.h"

#include <vector>

namespace heddle::blas {

using library::elementsOf;
using library::written;

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
  return submit(handle, {elementsOf(x, n, incx), written(elementsOf(y, n, incy))},
                [=, alpha = Scalar(handle, alpha)] {
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
  return submit(handle, {elementsOf(x, n, incx), written(elementsOf(y, n, incy))}, [=] {
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
  return submit(handle, {written(elementsOf(x, n, incx)), written(elementsOf(y, n, incy))}, [=] {
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
  return submit(handle, {written(elementsOf(x, n, incx))}, [=, alpha = Scalar(handle, alpha)] {
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

constexpr int64_t PartLength = 1024;

/// The sum of f(start, count), numbers of the given type, over parts of n elements.
template <typename T, typename F> T sumOfParts(int64_t n, F f) {
  std::vector<T> parts(n > 0 ? (n + PartLength - 1) / PartLength : 0);
  library::parallelFor(parts.size(), 256, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      parts[part] =
          f(part * PartLength, static_cast<int>(std::min(PartLength, n - part * PartLength)));
  });
  if constexpr (IsComplex<T>) {
    double real = 0, imaginary = 0;
    for (const T &part : parts)
      real += part.x, imaginary += part.y;
    return {static_cast<Real<T>>(real), static_cast<Real<T>>(imaginary)};
  } else {
    double sum = 0;
    for (T part : parts)
      sum += part;
    return static_cast<T>(sum);
  }
}

/// The sum of magnitudes of a piece. OpenBLAS's functions on complex vectors lose elements in some
/// versions.
template <typename T> Real<T> sumOfPiece(int count, const T *x, int incx) {
  if constexpr (!IsComplex<T>)
    return HEDDLE_BLAS_OF(T, sasum, dasum, sasum, dasum)(count, x, incx);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += magnitude(x[i * incx]);
  return static_cast<Real<T>>(sum);
}

template <typename T, typename R>
cublasStatus_t asum(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result) {
  if (cublasStatus_t bad = check(handle, result, {incx}))
    return bad;
  return submitResult(handle, {elementsOf(x, n, incx), resultRows(handle, result)}, [=] {
    *result = sumOfParts<R>(incx > 0 ? n : 0, [&](int64_t start, int count) {
      return sumOfPiece(count, x + start * incx, incx);
    });
  });
}

template <typename T, typename R>
cublasStatus_t nrm2(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result) {
  if (cublasStatus_t bad = check(handle, result, {incx}))
    return bad;
  return submitResult(handle, {elementsOf(x, n, incx), resultRows(handle, result)}, [=] {
    R norm = 0;
    inPieces(incx > 0 ? n : 0, [&](int64_t start, int count) {
      R part = HEDDLE_BLAS_OF(T, snrm2, dnrm2, scnrm2, dznrm2)(count, x + start * incx, incx);
      norm = start == 0 ? part : std::hypot(norm, part);
    });
    *result = norm;
  });
}

/// The product of two short vectors. OpenBLAS's functions on complex vectors are called where these
/// are contiguous: with increments some of their kernels read beside the vectors.
template <typename T, Form form>
T productOfPart(int count, const T *x, int64_t incx, const T *y, int64_t incy) {
  T sum{};
  if constexpr (!IsComplex<T>) {
    sum = HEDDLE_BLAS_OF(T, sdot, ddot, sdot, ddot)(count, x, incx, y, incy);
  } else if (incx == 1 && incy == 1) {
    auto &function = form == Plain ? HEDDLE_BLAS_OF(T, cdotu_sub, zdotu_sub, cdotu_sub, zdotu_sub)
                                   : HEDDLE_BLAS_OF(T, cdotc_sub, zdotc_sub, cdotc_sub, zdotc_sub);
    function(count, x, incx, y, incy, &sum);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      T xi = element(x, count, incx, i);
      sum = sum + (form == Plain ? xi : conjugate(xi)) * element(y, count, incy, i);
    }
  }
  return sum;
}

template <typename T, Form form>
cublasStatus_t dot(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                   int64_t incy, T *result) {
  if (cublasStatus_t bad = check(handle, result, {incx, incy}))
    return bad;
  const std::initializer_list<library::MemoryRows> memory = {
      elementsOf(x, n, incx), elementsOf(y, n, incy), resultRows(handle, result)};
  return submitResult(handle, memory, [=] {
    *result = sumOfParts<T>(n, [&](int64_t start, int count) {
      return productOfPart<T, form>(count, piece(x, n, incx, start, count), incx,
                                    piece(y, n, incy, start, count), incy);
    });
  });
}

/// The place of the first element of largest or smallest magnitude, from 1 on. Written out, since
/// OpenBLAS has no promise on which of several it is.
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
  return submitResult(handle, {elementsOf(x, n, incx), resultRows(handle, result)},
                      [=] { *result = placeOf<extreme>(n, x, incx); });
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
