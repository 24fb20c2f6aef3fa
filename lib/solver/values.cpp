// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Singular values (cuSOLVER, "cusolverDn<t>gesvd()" and its kin) and the reduction to two
// diagonals.
//
// The variants of Jacobi's method (gesvdj, gesvda) give what they promise, values in falling order
// and V instead of its adjoint, by divide and conquer (LAPACK's gesdd): at least as exact as their
// tolerance, in one sweep.
#include "solver/jacobi.h"
#include "solver/routines.h"

#include <vector>

namespace heddle::solver {

template <typename T>
int singularValues(char jobu, char jobvt, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu,
                   T *vt, int ldvt) {
  InPlace<T> own(m, n, a, lda);
  bool allU = jobu == 'A', someU = jobu == 'S', allV = jobvt == 'A', someV = jobvt == 'S';
  int few = std::min(m, n);
  InPlace<T> left(m, allU ? m : someU ? few : 0, u, ldu);
  InPlace<T> right(allV ? n : someV ? few : 0, allV || someV ? n : 0, vt, ldvt);
  using R = Real<T>;
  std::unique_ptr<R[]> rwork = workspace<R>(5 * int64_t(std::min(m, n)));
  return withWorkspace<T>([&](T *work, int *lwork, int *info) {
    if constexpr (IsComplex<T>)
      HEDDLE_LAPACK_OF(T, gesvd)(&jobu, &jobvt, &m, &n, own.get(), own.ld(), s, left.get(),
                                 left.ld(), right.get(), right.ld(), work, lwork, rwork.get(),
                                 info);
    else
      HEDDLE_LAPACK_OF(T, gesvd)(&jobu, &jobvt, &m, &n, own.get(), own.ld(), s, left.get(),
                                 left.ld(), right.get(), right.ld(), work, lwork, info);
  });
}
template int singularValues(char, char, int, int, float *, int, float *, float *, int, float *,
                            int);
template int singularValues(char, char, int, int, double *, int, double *, double *, int, double *,
                            int);
template int singularValues(char, char, int, int, ComplexFloat *, int, float *, ComplexFloat *, int,
                            ComplexFloat *, int);
template int singularValues(char, char, int, int, ComplexDouble *, int, double *, ComplexDouble *,
                            int, ComplexDouble *, int);

namespace {

/// a(i, j) of V is the conjugate of vt(j, i).
template <typename T> void writeAdjoint(int rows, int cols, const T *vt, int ldvt, T *v, int ldv) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      T value = vt[j + i * int64_t(ldvt)];
      if constexpr (IsComplex<T>)
        value = std::conj(value);
      v[i + j * int64_t(ldv)] = value;
    }
}

} // namespace

template <typename T>
int jacobiValues(bool vectors, bool economic, int m, int n, T *a, int lda, Real<T> *s, T *u,
                 int ldu, T *v, int ldv) {
  InPlace<T> own(m, n, a, lda);
  InPlace<T> left(vectors ? m : 0, !vectors ? 0 : economic ? std::min(m, n) : m, u, ldu);
  using R = Real<T>;
  int few = std::min(m, n), rows = economic ? few : n, info = 0;
  char job = !vectors ? 'N' : economic ? 'S' : 'A';
  int ldvt = std::max(1, rows), many = std::max(m, n);
  std::unique_ptr<T[]> vt = workspace<T>(vectors ? int64_t(ldvt) * (n + 1) : 1);
  std::unique_ptr<int[]> iwork = workspace<int>(8 * int64_t(few));
  std::unique_ptr<R[]> rwork =
      workspace<R>(few * std::max<int64_t>(5 * few + 7, 2 * many + 2 * few + 1) + 1);
  info = withWorkspace<T>([&](T *work, int *lwork, int *result) {
    if constexpr (IsComplex<T>)
      HEDDLE_LAPACK_OF(T, gesdd)(&job, &m, &n, own.get(), own.ld(), s, left.get(), left.ld(),
                                 vt.get(), &ldvt, work, lwork, rwork.get(), iwork.get(), result);
    else
      HEDDLE_LAPACK_OF(T, gesdd)(&job, &m, &n, own.get(), own.ld(), s, left.get(), left.ld(),
                                 vt.get(), &ldvt, work, lwork, iwork.get(), result);
  });
  if (vectors)
    writeAdjoint(n, rows, vt.get(), ldvt, v, ldv);
  return info;
}
template int jacobiValues(bool, bool, int, int, float *, int, float *, float *, int, float *, int);
template int jacobiValues(bool, bool, int, int, double *, int, double *, double *, int, double *,
                          int);
template int jacobiValues(bool, bool, int, int, ComplexFloat *, int, float *, ComplexFloat *, int,
                          ComplexFloat *, int);
template int jacobiValues(bool, bool, int, int, ComplexDouble *, int, double *, ComplexDouble *,
                          int, ComplexDouble *, int);

namespace {

using Handle = cusolverDnHandle_t;

template <typename T>
cusolverStatus_t gebrd(Handle handle, int m, int n, T *a, int lda, Real<T> *d, Real<T> *e, T *tauq,
                       T *taup, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(n >= 0 && m >= n && isLeading(lda, m), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo,
                          {matrixOf(a, m, n, lda), numbersOf(d, n), numbersOf(e, n - 1),
                           numbersOf(tauq, n), numbersOf(taup, n)},
                          [=] {
                            InPlace<T> own(m, n, a, lda);
                            return withWorkspace<T>([&](T *work, int *lwork, int *info) {
                              HEDDLE_LAPACK_OF(T, gebrd)(&m, &n, own.get(), own.ld(), d, e, tauq,
                                                         taup, work, lwork, info);
                            });
                          });
}

bool isOrgbr(cublasSideMode_t side, int m, int n, int k, int lda) {
  bool sizes =
      side == CUBLAS_SIDE_LEFT ? n <= m && n >= std::min(m, k) : m <= n && m >= std::min(n, k);
  return isSide(side) && m >= 0 && n >= 0 && k >= 0 && sizes && isLeading(lda, m);
}

/// Q for the left side, P^T for the right one.
template <typename T>
cusolverStatus_t orgbr(Handle handle, cublasSideMode_t side, int m, int n, int k, T *a, int lda,
                       const T *tau, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOrgbr(side, m, n, k, lda), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, m, n, lda)}, [=] {
    const char *which = side == CUBLAS_SIDE_LEFT ? "Q" : "P";
    InPlace<T> own(m, n, a, lda);
    return withWorkspace<T>([&](T *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(T, orgbr)(which, &m, &n, &k, own.get(), own.ld(), tau, work, lwork, info);
    });
  });
}

bool isJob(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

template <typename T>
cusolverStatus_t gesvd(Handle handle, signed char jobu, signed char jobvt, int m, int n, T *a,
                       int lda, Real<T> *s, T *u, int ldu, T *vt, int ldvt, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isJob(jobu) && isJob(jobvt) && !(jobu == 'O' && jobvt == 'O') && n >= 0 &&
                     isLeading(lda, m),
                 INVALID_VALUE);
  // cuSOLVER, "cusolverDn<t>gesvd()": m >= n only.
  HEDDLE_REQUIRE(m >= n, INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo,
      {matrixOf(a, m, n, lda), numbersOf(s, n),
       matrixOf(u, m,
                jobu == 'A'   ? m
                : jobu == 'S' ? n
                              : 0,
                ldu),
       matrixOf(vt, n, jobvt == 'A' || jobvt == 'S' ? n : 0, ldvt)},
      [=] { return singularValues(char(jobu), char(jobvt), m, n, a, lda, s, u, ldu, vt, ldvt); });
}

bool isGesvdj(cusolverEigMode_t jobz, int m, int n, int lda) {
  return isMode(jobz) && m >= 0 && n >= 0 && isLeading(lda, m);
}

template <typename T>
cusolverStatus_t gesvdj(Handle handle, cusolverEigMode_t jobz, int econ, int m, int n, T *a,
                        int lda, Real<T> *s, T *u, int ldu, T *v, int ldv, int *devInfo,
                        gesvdjInfo_t params) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
  HEDDLE_REQUIRE(isGesvdj(jobz, m, n, lda) && params, INVALID_VALUE);
  HEDDLE_REQUIRE(!vectors || (isLeading(ldu, m) && isLeading(ldv, n)), INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo, {matrixOf(a, m, n, lda), numbersOf(s, std::min(m, n))},
      [=, result = params->result] {
        std::vector<T> before;
        for (int j = 0; vectors && j < n; ++j)
          before.insert(before.end(), a + j * int64_t(lda), a + j * int64_t(lda) + m);
        int info = jacobiValues(vectors, econ != 0, m, n, a, lda, s, u, ldu, v, ldv);
        result->sweeps = 1;
        if (vectors)
          result->residual =
              residualNorm(m, n, std::min(m, n), before.data(), std::max(1, m), u, ldu, s, v, ldv);
        return info;
      });
}

/// `count` matrices, each behind the other; all of U and V.
template <typename T>
cusolverStatus_t gesvdjBatched(Handle handle, cusolverEigMode_t jobz, int m, int n, T *a, int lda,
                               Real<T> *s, T *u, int ldu, T *v, int ldv, int *infos,
                               gesvdjInfo_t params, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
  HEDDLE_REQUIRE(isGesvdj(jobz, m, n, lda) && params && count >= 0, INVALID_VALUE);
  // cuSOLVER, "cusolverDn<t>gesvdjBatched()": up to 32 rows and columns.
  HEDDLE_REQUIRE(m <= 32 && n <= 32, INVALID_VALUE);
  HEDDLE_REQUIRE(!vectors || (isLeading(ldu, m) && isLeading(ldv, n)), INVALID_VALUE);
  return inStream(handle, [=] {
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        infos[i] = jacobiValues(vectors, false, m, n, a + i * lda * n, lda, s + i * std::min(m, n),
                                u + i * ldu * m, ldu, v + i * ldv * n, ldv);
    });
  });
}

/// The `rank` largest values of each; A stays. The norms of what remains go to the host.
template <typename T>
cusolverStatus_t gesvda(Handle handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *a,
                        int lda, long long strideA, Real<T> *s, long long strideS, T *u, int ldu,
                        long long strideU, T *v, int ldv, long long strideV, int *infos,
                        double *residuals, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isGesvdj(jobz, m, n, lda) && rank >= 0 && rank <= std::min(m, n) && count >= 0,
                 INVALID_VALUE);
  auto one = [=](int64_t i) {
    using R = Real<T>;
    bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    int few = std::min(m, n);
    std::unique_ptr<T[]> copy = workspace<T>(int64_t(m) * n), left = workspace<T>(int64_t(m) * few),
                         right = workspace<T>(int64_t(n) * few);
    std::unique_ptr<R[]> all = workspace<R>(few);
    for (int j = 0; j < n; ++j)
      std::copy_n(a + i * strideA + j * int64_t(lda), m, copy.get() + j * int64_t(m));
    infos[i] = jacobiValues(vectors, true, m, n, copy.get(), std::max(1, m), all.get(), left.get(),
                            m, right.get(), n);
    std::copy_n(all.get(), rank, s + i * strideS);
    for (int j = 0; vectors && j < rank; ++j) {
      std::copy_n(left.get() + j * int64_t(m), m, u + i * strideU + j * int64_t(ldu));
      std::copy_n(right.get() + j * int64_t(n), n, v + i * strideV + j * int64_t(ldv));
    }
    double rest = 0;
    for (int j = rank; j < few; ++j)
      rest += double(all[j]) * all[j];
    if (residuals)
      residuals[i] = std::sqrt(rest);
  };
  auto work = [=] {
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        one(i);
    });
  };
  return residuals ? inStreamAndWait(handle, work) : inStream(handle, work);
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

#define HEDDLE_VALUES(p, Q, T, R)                                                                  \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gebrd_bufferSize(Handle handle, int m, int n,      \
                                                                 int *lwork) {                     \
    return tellWorkspace(handle, n >= 0 && m >= n, lwork);                                         \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gebrd(Handle handle, int m, int n, T *A, int lda,  \
                                                      R *D, R *E, T *TAUQ, T *TAUP, T *, int,      \
                                                      int *devInfo) {                              \
    return gebrd(handle, m, n, native(A), lda, D, E, native(TAUQ), native(TAUP), devInfo);         \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gbr_bufferSize(                                    \
      Handle handle, cublasSideMode_t side, int m, int n, int k, const T *, int lda, const T *,    \
      int *lwork) {                                                                                \
    return tellWorkspace(handle, isOrgbr(side, m, n, k, lda), lwork);                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gbr(Handle handle, cublasSideMode_t side, int m,   \
                                                    int n, int k, T *A, int lda, const T *tau,     \
                                                    T *, int, int *info) {                         \
    return orgbr(handle, side, m, n, k, native(A), lda, native(tau), info);                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvd_bufferSize(Handle handle, int m, int n,      \
                                                                 int *lwork) {                     \
    return tellWorkspace(handle, n >= 0 && m >= n, lwork);                                         \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvd(                                             \
      Handle handle, signed char jobu, signed char jobvt, int m, int n, T *A, int lda, R *S, T *U, \
      int ldu, T *VT, int ldvt, T *, int, R *, int *info) {                                        \
    return gesvd(handle, jobu, jobvt, m, n, native(A), lda, S, native(U), ldu, native(VT), ldvt,   \
                 info);                                                                            \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdj_bufferSize(                                 \
      Handle handle, cusolverEigMode_t jobz, int, int m, int n, const T *, int lda, const R *,     \
      const T *, int, const T *, int, int *lwork, gesvdjInfo_t params) {                           \
    return tellWorkspace(handle, isGesvdj(jobz, m, n, lda) && params, lwork);                      \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdj(                                            \
      Handle handle, cusolverEigMode_t jobz, int econ, int m, int n, T *A, int lda, R *S, T *U,    \
      int ldu, T *V, int ldv, T *, int, int *info, gesvdjInfo_t params) {                          \
    return gesvdj(handle, jobz, econ, m, n, native(A), lda, S, native(U), ldu, native(V), ldv,     \
                  info, params);                                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdjBatched_bufferSize(                          \
      Handle handle, cusolverEigMode_t jobz, int m, int n, const T *, int lda, const R *,          \
      const T *, int, const T *, int, int *lwork, gesvdjInfo_t params, int batchSize) {            \
    return tellWorkspace(handle, isGesvdj(jobz, m, n, lda) && params && batchSize >= 0, lwork);    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdjBatched(                                     \
      Handle handle, cusolverEigMode_t jobz, int m, int n, T *A, int lda, R *S, T *U, int ldu,     \
      T *V, int ldv, T *, int, int *info, gesvdjInfo_t params, int batchSize) {                    \
    return gesvdjBatched(handle, jobz, m, n, native(A), lda, S, native(U), ldu, native(V), ldv,    \
                         info, params, batchSize);                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdaStridedBatched_bufferSize(                   \
      Handle handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *, int lda,           \
      long long, const R *, long long, const T *, int, long long, const T *, int, long long,       \
      int *lwork, int batchSize) {                                                                 \
    return tellWorkspace(handle,                                                                   \
                         isGesvdj(jobz, m, n, lda) && rank >= 0 && rank <= std::min(m, n) &&       \
                             batchSize >= 0,                                                       \
                         lwork);                                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##gesvdaStridedBatched(                              \
      Handle handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *A, int lda,          \
      long long strideA, R *S, long long strideS, T *U, int ldu, long long strideU, T *V, int ldv, \
      long long strideV, T *, int, int *info, double *h_R_nrmF, int batchSize) {                   \
    return gesvda(handle, jobz, rank, m, n, native(A), lda, strideA, S, strideS, native(U), ldu,   \
                  strideU, native(V), ldv, strideV, info, h_R_nrmF, batchSize);                    \
  }
HEDDLE_VALUES(S, Sor, float, float)
HEDDLE_VALUES(D, Dor, double, double)
HEDDLE_VALUES(C, Cun, cuComplex, float)
HEDDLE_VALUES(Z, Zun, cuDoubleComplex, double)
