// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors, inverses, solutions and least squares of many small matrices (cuBLAS Library,
// "cublas<t>getrfBatched" and what follows it), each matrix by LAPACK on one core.
//
// getrs, geqrf and gels say in host memory which of their arguments is wrong, by its number in
// LAPACK's routine; the others write a number for each matrix in the order of the stream.
#include "blas/handle.h"
#include "blas/openblas.h"
#include "lapack/lapack.h"
#include "lapack/without_pivots.h"
#include "support/parallel.h"

#include <vector>

namespace heddle::blas {

namespace {

using lapack::ComplexDouble;
using lapack::ComplexFloat;
using lapack::factorWithoutPivots;
using lapack::InPlace;
using lapack::solveWithoutPivots;
using lapack::withWorkspace;

/// T as LAPACK's header has it.
template <typename T> struct NativeOf {
  using Type = T;
};
template <> struct NativeOf<cuComplex> {
  using Type = ComplexFloat;
};
template <> struct NativeOf<cuDoubleComplex> {
  using Type = ComplexDouble;
};
template <typename T> auto *native(T *value) {
  return reinterpret_cast<typename NativeOf<T>::Type *>(value);
}
template <typename T> const auto *native(const T *value) {
  return reinterpret_cast<const typename NativeOf<T>::Type *>(value);
}

/// Puts f(i) for each matrix of a batch into the stream.
template <typename F> cublasStatus_t submitBatch(cublasHandle_t handle, int count, F f) {
  return submit(handle, [=] {
    OneThreadEach single;
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        f(i);
    });
  });
}

/// Says which argument is wrong: `number`, or 0.
cublasStatus_t reportArgument(cublasHandle_t handle, int number, int *info) {
  if (cublasStatus_t bad = check(handle, info))
    return bad;
  *info = -number;
  return number ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

/// Without pivots if `pivots` is null. Returns LAPACK's info.
template <typename N> int factor(int n, N *a, int lda, int *pivots) {
  if (!pivots)
    return factorWithoutPivots(n, n, a, lda);
  int info = 0;
  HEDDLE_LAPACK_OF(N, getrf)(&n, &n, a, &lda, pivots, &info);
  return info;
}

template <typename N>
void solveFactored(char trans, int n, int nrhs, const N *a, int lda, const int *pivots, N *b,
                   int ldb) {
  if (!pivots)
    return solveWithoutPivots(trans, n, nrhs, a, lda, b, ldb);
  int info = 0;
  HEDDLE_LAPACK_OF(N, getrs)(&trans, &n, &nrhs, a, &lda, pivots, b, &ldb, &info);
}

/// Writes the inverse of factors to c, or returns the number of the pivot that is zero.
template <typename N>
int invertFactored(int n, const N *a, int lda, const int *pivots, N *c, int ldc) {
  for (int j = 0; j < n; ++j)
    if (a[j + j * int64_t(lda)] == N(0))
      return j + 1;
  for (int j = 0; j < n; ++j) {
    std::fill_n(c + j * int64_t(ldc), n, N(0));
    c[j + j * int64_t(ldc)] = N(1);
  }
  solveFactored('N', n, n, a, lda, pivots, c, ldc);
  return 0;
}

template <typename T>
cublasStatus_t getrfBatched(cublasHandle_t handle, int n, T *const *A, int lda, int *P, int *info,
                            int count) {
  if (cublasStatus_t bad = check(handle, n >= 0 && isLeading(lda, n) && info && count >= 0))
    return bad;
  return submitBatch(handle, count, [=](int64_t i) {
    info[i] = factor(n, native(A[i]), lda, P ? P + i * n : nullptr);
  });
}

template <typename T>
cublasStatus_t getriBatched(cublasHandle_t handle, int n, const T *const *A, int lda, const int *P,
                            T *const *C, int ldc, int *info, int count) {
  if (cublasStatus_t bad =
          check(handle, n >= 0 && isLeading(lda, n) && isLeading(ldc, n) && info && count >= 0))
    return bad;
  return submitBatch(handle, count, [=](int64_t i) {
    info[i] = invertFactored(n, native(A[i]), lda, P ? P + i * n : nullptr, native(C[i]), ldc);
  });
}

template <typename T>
cublasStatus_t getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
                            const T *const *A, int lda, const int *P, T *const *B, int ldb,
                            int *info, int count) {
  int wrong = !isOperation(trans)  ? 1
              : n < 0              ? 2
              : nrhs < 0           ? 3
              : !isLeading(lda, n) ? 5
              : !isLeading(ldb, n) ? 8
              : count < 0          ? 10
                                   : 0;
  if (cublasStatus_t bad = reportArgument(handle, wrong, info))
    return bad;
  char letter = trans == CUBLAS_OP_N ? 'N' : trans == CUBLAS_OP_T ? 'T' : 'C';
  return submitBatch(handle, count, [=](int64_t i) {
    solveFactored(letter, n, nrhs, native(A[i]), lda, P ? P + i * n : nullptr, native(B[i]), ldb);
  });
}

template <typename T>
cublasStatus_t matinvBatched(cublasHandle_t handle, int n, const T *const *A, int lda,
                             T *const *inverse, int ldinv, int *info, int count) {
  constexpr int Largest = 32; // "cublas<t>matinvBatched"
  if (cublasStatus_t bad = check(handle, n >= 0 && n <= Largest && isLeading(lda, n) &&
                                             isLeading(ldinv, n) && info && count >= 0))
    return bad;
  return submitBatch(handle, count, [=](int64_t i) {
    using N = typename NativeOf<T>::Type;
    std::vector<N> factors(n * n);
    int pivots[Largest], ld = std::max(n, 1);
    for (int j = 0; j < n; ++j)
      std::copy_n(native(A[i]) + j * int64_t(lda), n, factors.data() + j * n);
    info[i] = factor(n, factors.data(), ld, pivots);
    if (info[i] == 0)
      invertFactored(n, factors.data(), ld, pivots, native(inverse[i]), ldinv);
  });
}

template <typename N> void factorQR(int m, int n, N *a, int lda, N *tau) {
  withWorkspace<N>([&](N *work, int *lwork, int *info) {
    HEDDLE_LAPACK_OF(N, geqrf)(&m, &n, a, &lda, tau, work, lwork, info);
  });
}

template <typename T>
cublasStatus_t geqrfBatched(cublasHandle_t handle, int m, int n, T *const *A, int lda,
                            T *const *tau, int *info, int count) {
  int wrong = m < 0 ? 1 : n < 0 ? 2 : !isLeading(lda, m) ? 4 : count < 0 ? 7 : 0;
  if (cublasStatus_t bad = reportArgument(handle, wrong, info))
    return bad;
  return submitBatch(handle, count, [=](int64_t i) {
    InPlace<typename NativeOf<T>::Type> own(m, n, native(A[i]), lda);
    factorQR(m, n, own.get(), *own.ld(), native(tau[i]));
  });
}

/// Factors a, and writes to c first Q^H c, then in its first n rows the solution. Returns the
/// number of the zero on the diagonal of R if there is one; then there is no solution.
template <typename N> int leastSquares(int m, int n, int nrhs, N *a, int lda, N *c, int ldc) {
  std::vector<N> tau(std::max(n, 1));
  factorQR(m, n, a, lda, tau.data());
  withWorkspace<N>([&](N *work, int *lwork, int *info) {
    HEDDLE_LAPACK_OF(N, ormqr)("L", lapack::IsComplex<N> ? "C" : "T", &m, &nrhs, &n, a, &lda,
                               tau.data(), c, &ldc, work, lwork, info);
  });
  for (int j = 0; j < n; ++j)
    if (a[j + j * int64_t(lda)] == N(0))
      return j + 1;
  N one(1);
  HEDDLE_LAPACK_OF(N, trsm)("L", "U", "N", "N", &n, &nrhs, &one, a, &lda, c, &ldc);
  return 0;
}

template <typename T>
cublasStatus_t gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,
                           T *const *A, int lda, T *const *C, int ldc, int *info, int *infos,
                           int count) {
  int wrong = !isOperation(trans)  ? 1
              : m < 0              ? 2
              : n < 0              ? 3
              : nrhs < 0           ? 4
              : !isLeading(lda, m) ? 6
              : !isLeading(ldc, m) ? 8
              : count < 0          ? 11
                                   : 0;
  if (cublasStatus_t bad = reportArgument(handle, wrong, info))
    return bad;
  if (trans != CUBLAS_OP_N || m < n)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return submitBatch(handle, count, [=](int64_t i) {
    using N = typename NativeOf<T>::Type;
    InPlace<N> a(m, n, native(A[i]), lda), c(m, nrhs, native(C[i]), ldc);
    int bad = leastSquares(m, n, nrhs, a.get(), *a.ld(), c.get(), *c.ld());
    if (infos)
      infos[i] = bad;
  });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/factors.inc"
#include "blas/define_entries.inc"
