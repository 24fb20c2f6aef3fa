// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigenvalues of symmetric and Hermitian matrices (cuSOLVER, "cusolverDn<t>syevd()" and its kin),
// and the reduction to three diagonals. A problem of two matrices is brought to one of one: B = L
// L^H, C = L^-1 A L^-H.
#include "solver/jacobi.h"
#include "solver/routines.h"

#include <limits>
#include <vector>

namespace heddle::solver {

template <typename T>
int eigenvaluesIn(const EigenRange<Real<T>> &range, char jobz, char uplo, int n, T *a, int lda,
                  int *found, Real<T> *w) {
  using R = Real<T>;
  if (range.which == 'A') {
    *found = n;
    return eigenvalues(jobz, uplo, n, a, lda, w);
  }
  InPlace<T> own(n, n, a, lda);
  int ldz = std::max(1, n), info = 0, ask = -1, iwork1 = 0;
  R tolerance = 0, rwork1[2] = {};
  T work1[2] = {};
  std::unique_ptr<T[]> z = workspace<T>(int64_t(ldz) * (n + 1));
  std::unique_ptr<R[]> all = workspace<R>(n);
  std::unique_ptr<int[]> support = workspace<int>(2 * int64_t(n));
  auto call = [&](T *work, int lwork, R *rwork, int lrwork, int *iwork, int liwork) {
    if constexpr (IsComplex<T>)
      HEDDLE_LAPACK_OF(T, syevr)(&jobz, &range.which, &uplo, &n, own.get(), own.ld(), &range.low,
                                 &range.high, &range.first, &range.last, &tolerance, found,
                                 all.get(), z.get(), &ldz, support.get(), work, &lwork, rwork,
                                 &lrwork, iwork, &liwork, &info);
    else
      HEDDLE_LAPACK_OF(T, syevr)(&jobz, &range.which, &uplo, &n, own.get(), own.ld(), &range.low,
                                 &range.high, &range.first, &range.last, &tolerance, found,
                                 all.get(), z.get(), &ldz, support.get(), work, &lwork, iwork,
                                 &liwork, &info);
  };
  call(work1, ask, rwork1, ask, &iwork1, ask);
  int lwork = int(std::real(work1[0])) + 1, lrwork = int(rwork1[0]) + 1, liwork = iwork1 + 1;
  std::unique_ptr<T[]> work = workspace<T>(lwork);
  std::unique_ptr<R[]> rwork = workspace<R>(lrwork);
  std::unique_ptr<int[]> iwork = workspace<int>(liwork);
  call(work.get(), lwork, rwork.get(), lrwork, iwork.get(), liwork);
  std::copy_n(all.get(), *found, w);
  for (int j = 0; jobz == 'V' && j < *found; ++j)
    std::copy_n(z.get() + j * int64_t(ldz), n, own.get() + j * int64_t(*own.ld()));
  return info;
}

#define HEDDLE_EIGEN(T)                                                                            \
  template int eigenvaluesIn(const EigenRange<Real<T>> &, char, char, int, T *, int, int *,        \
                             Real<T> *);
HEDDLE_EIGEN(float)
HEDDLE_EIGEN(double)
HEDDLE_EIGEN(ComplexFloat)
HEDDLE_EIGEN(ComplexDouble)

namespace {

using Handle = cusolverDnHandle_t;

bool isProblem(cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda) {
  return isMode(jobz) && isFill(uplo) && n >= 0 && isLeading(lda, n);
}
bool isType(cusolverEigType_t type) {
  return type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3;
}

template <typename R>
bool isRange(cusolverEigRange_t range, int n, R low, R high, int first, int last) {
  if (range == CUSOLVER_EIG_RANGE_V)
    return n == 0 || low < high;
  if (range == CUSOLVER_EIG_RANGE_I)
    return n == 0 || (first >= 1 && first <= last && last <= n);
  return range == CUSOLVER_EIG_RANGE_ALL;
}

template <typename R>
EigenRange<R> rangeOf(cusolverEigRange_t range, R low, R high, int first, int last) {
  char which = range == CUSOLVER_EIG_RANGE_V ? 'V' : range == CUSOLVER_EIG_RANGE_I ? 'I' : 'A';
  return {which, low, high, first, last};
}

/// A x = w B x (or A B x, B A x): the eigenvalues in the range, B's Cholesky factor in B. Info n +
/// i: B is not positive.
template <typename T>
int generalEigenvalues(int type, const EigenRange<Real<T>> &range, char jobz, char uplo, int n,
                       T *a, int lda, T *b, int ldb, int *found, Real<T> *w) {
  int info = 0;
  HEDDLE_LAPACK_OF(T, potrf)(&uplo, &n, b, &ldb, &info);
  if (info != 0)
    return n + info;
  {
    InPlace<T> own(n, n, a, lda), factor(n, n, b, ldb);
    HEDDLE_LAPACK_OF(T, sygst)(&type, &uplo, &n, own.get(), own.ld(), factor.get(), factor.ld(),
                               &info);
  }
  if (info == 0)
    info = eigenvaluesIn(range, jobz, uplo, n, a, lda, found, w);
  if (info != 0 || jobz != 'V')
    return info;
  // Back: x = L^-H y, or L y for the third type.
  T one(1);
  bool lower = uplo == 'L';
  const char *adjoint = IsComplex<T> ? "C" : "T";
  if (type == 3)
    HEDDLE_LAPACK_OF(T, trmm)("L", &uplo, lower ? "N" : adjoint, "N", &n, found, &one, b, &ldb, a,
                              &lda);
  else
    HEDDLE_LAPACK_OF(T, trsm)("L", &uplo, lower ? adjoint : "N", "N", &n, found, &one, b, &ldb, a,
                              &lda);
  return 0;
}

template <typename T>
cusolverStatus_t sytrd(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, Real<T> *d,
                       Real<T> *e, T *tau, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n), INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo,
      {matrixOf(a, n, n, lda), numbersOf(d, n), numbersOf(e, n - 1), numbersOf(tau, n - 1)}, [=] {
        char letterUplo = letter(uplo);
        InPlace<T> own(n, n, a, lda);
        return withWorkspace<T>([&](T *work, int *lwork, int *info) {
          HEDDLE_LAPACK_OF(T, sytrd)(&letterUplo, &n, own.get(), own.ld(), d, e, tau, work, lwork,
                                     info);
        });
      });
}

template <typename T>
cusolverStatus_t orgtr(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, const T *tau,
                       int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(tau, n - 1)}, [=] {
    char letterUplo = letter(uplo);
    InPlace<T> own(n, n, a, lda);
    return withWorkspace<T>([&](T *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(T, orgtr)(&letterUplo, &n, own.get(), own.ld(), tau, work, lwork, info);
    });
  });
}

bool isOrmtr(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, int n,
             int lda, int ldc) {
  return isSide(side) && isFill(uplo) && isOperation(trans) && m >= 0 && n >= 0 &&
         isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n) && isLeading(ldc, m);
}

template <typename T>
cusolverStatus_t ormtr(Handle handle, cublasSideMode_t side, cublasFillMode_t uplo,
                       cublasOperation_t trans, int m, int n, const T *a, int lda, const T *tau,
                       T *c, int ldc, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOrmtr(side, uplo, trans, m, n, lda, ldc), INVALID_VALUE);
  HEDDLE_REQUIRE(!IsComplex<T> || trans != CUBLAS_OP_T, NOT_SUPPORTED);
  return inStreamWithInfo(
      handle, devInfo,
      {matrixOf(a, side == CUBLAS_SIDE_LEFT ? m : n, side == CUBLAS_SIDE_LEFT ? m : n, lda),
       matrixOf(c, m, n, ldc)},
      [=] {
        char letters[] = {letter(side), letter(uplo), letter(trans)};
        if (!IsComplex<T> && letters[2] == 'C')
          letters[2] = 'T';
        InPlace<T> own(m, n, c, ldc);
        return withWorkspace<T>([&](T *work, int *lwork, int *info) {
          HEDDLE_LAPACK_OF(T, ormtr)(&letters[0], &letters[1], &letters[2], &m, &n, a, &lda, tau,
                                     own.get(), own.ld(), work, lwork, info);
        });
      });
}

template <typename T>
cusolverStatus_t syevd(Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *a,
                       int lda, Real<T> *w, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isProblem(jobz, uplo, n, lda), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(w, n)},
                          [=] { return eigenvalues(letter(jobz), letter(uplo), n, a, lda, w); });
}

/// `meig` is on the host: the call waits.
template <typename T>
cusolverStatus_t syevdx(Handle handle, cusolverEigMode_t jobz, cusolverEigRange_t range,
                        cublasFillMode_t uplo, int n, T *a, int lda, Real<T> low, Real<T> high,
                        int first, int last, int *meig, Real<T> *w, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isProblem(jobz, uplo, n, lda) && isRange(range, n, low, high, first, last) && meig,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(library::mayAccess({matrixOf(a, n, n, lda), numbersOf(devInfo, 1)}),
                 EXECUTION_FAILED);
  return inStreamAndWait(handle, [=] {
    int info = eigenvaluesIn(rangeOf(range, low, high, first, last), letter(jobz), letter(uplo), n,
                             a, lda, meig, w);
    if (devInfo)
      *devInfo = info;
  });
}

template <typename T>
cusolverStatus_t sygvd(Handle handle, cusolverEigType_t type, cusolverEigMode_t jobz,
                       cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, Real<T> *w,
                       int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isType(type) && isProblem(jobz, uplo, n, lda) && isLeading(ldb, n), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo,
                          {matrixOf(a, n, n, lda), matrixOf(b, n, n, ldb), numbersOf(w, n)}, [=] {
                            int found = 0;
                            EigenRange<Real<T>> all{'A', 0, 0, 0, 0};
                            return generalEigenvalues(type, all, letter(jobz), letter(uplo), n, a,
                                                      lda, b, ldb, &found, w);
                          });
}

template <typename T>
cusolverStatus_t sygvdx(Handle handle, cusolverEigType_t type, cusolverEigMode_t jobz,
                        cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a, int lda, T *b,
                        int ldb, Real<T> low, Real<T> high, int first, int last, int *meig,
                        Real<T> *w, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isType(type) && isProblem(jobz, uplo, n, lda) && isLeading(ldb, n) &&
                     isRange(range, n, low, high, first, last) && meig,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(
      library::mayAccess({matrixOf(a, n, n, lda), matrixOf(b, n, n, ldb), numbersOf(devInfo, 1)}),
      EXECUTION_FAILED);
  return inStreamAndWait(handle, [=] {
    int info = generalEigenvalues(type, rangeOf(range, low, high, first, last), letter(jobz),
                                  letter(uplo), n, a, lda, b, ldb, meig, w);
    if (devInfo)
      *devInfo = info;
  });
}

/// A whole matrix of which one triangle is stored.
template <typename T> std::vector<T> wholeMatrix(char uplo, int n, const T *a, int lda) {
  std::vector<T> whole(int64_t(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      bool stored = uplo == 'L' ? i >= j : i <= j;
      T value = stored ? a[i + j * int64_t(lda)] : a[j + i * int64_t(lda)];
      if constexpr (IsComplex<T>)
        value = i == j ? T(value.real()) : stored ? value : std::conj(value);
      whole[i + j * int64_t(n)] = value;
    }
  return whole;
}

template <typename T>
cusolverStatus_t syevj(Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *a,
                       int lda, Real<T> *w, int *devInfo, syevjInfo_t params) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isProblem(jobz, uplo, n, lda) && params, INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(w, n)}, [=, result = params->result] {
        bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
        std::vector<T> before;
        if (vectors)
          before = wholeMatrix(letter(uplo), n, a, lda);
        int info = eigenvalues(letter(jobz), letter(uplo), n, a, lda, w);
        result->sweeps = 1;
        if (vectors)
          result->residual =
              residualNorm(n, n, n, before.data(), std::max(1, n), a, lda, w, a, lda);
        return info;
      });
}

template <typename T>
cusolverStatus_t syevjBatched(Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                              T *a, int lda, Real<T> *w, int *infos, syevjInfo_t params,
                              int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isProblem(jobz, uplo, n, lda) && params && count >= 0, INVALID_VALUE);
  return inStream(handle, [=] {
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        infos[i] = eigenvalues(letter(jobz), letter(uplo), n, a + i * lda * n, lda, w + i * n);
    });
  });
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

#define HEDDLE_EIGENVALUES(p, Q, E, T, R)                                                          \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##trd_bufferSize(                                    \
      Handle handle, cublasFillMode_t uplo, int n, const T *, int lda, const R *, const R *,       \
      const T *, int *lwork) {                                                                     \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##trd(Handle handle, cublasFillMode_t uplo, int n,   \
                                                    T *A, int lda, R *d, R *e, T *tau, T *, int,   \
                                                    int *info) {                                   \
    return sytrd(handle, uplo, n, native(A), lda, d, e, native(tau), info);                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gtr_bufferSize(                                    \
      Handle handle, cublasFillMode_t uplo, int n, const T *, int lda, const T *, int *lwork) {    \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gtr(Handle handle, cublasFillMode_t uplo, int n,   \
                                                    T *A, int lda, const T *tau, T *, int,         \
                                                    int *info) {                                   \
    return orgtr(handle, uplo, n, native(A), lda, native(tau), info);                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##mtr_bufferSize(                                    \
      Handle handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, \
      int n, const T *, int lda, const T *, const T *, int ldc, int *lwork) {                      \
    return tellWorkspace(handle, isOrmtr(side, uplo, trans, m, n, lda, ldc), lwork);               \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##mtr(                                               \
      Handle handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, \
      int n, T *A, int lda, T *tau, T *C, int ldc, T *, int, int *info) {                          \
    return ormtr(handle, side, uplo, trans, m, n, native(A), lda, native(tau), native(C), ldc,     \
                 info);                                                                            \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evd_bufferSize(                                    \
      Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *, int lda,     \
      const R *, int *lwork) {                                                                     \
    return tellWorkspace(handle, isProblem(jobz, uplo, n, lda), lwork);                            \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evd(Handle handle, cusolverEigMode_t jobz,         \
                                                    cublasFillMode_t uplo, int n, T *A, int lda,   \
                                                    R *W, T *, int, int *info) {                   \
    return syevd(handle, jobz, uplo, n, native(A), lda, W, info);                                  \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evdx_bufferSize(                                   \
      Handle handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,      \
      int n, const T *, int lda, R vl, R vu, int il, int iu, int *, const R *, int *lwork) {       \
    return tellWorkspace(                                                                          \
        handle, isProblem(jobz, uplo, n, lda) && isRange(range, n, vl, vu, il, iu), lwork);        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evdx(                                              \
      Handle handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,      \
      int n, T *A, int lda, R vl, R vu, int il, int iu, int *meig, R *W, T *, int, int *info) {    \
    return syevdx(handle, jobz, range, uplo, n, native(A), lda, vl, vu, il, iu, meig, W, info);    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvd_bufferSize(                                    \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,       \
      int n, const T *, int lda, const T *, int ldb, const R *, int *lwork) {                      \
    return tellWorkspace(                                                                          \
        handle, isType(itype) && isProblem(jobz, uplo, n, lda) && isLeading(ldb, n), lwork);       \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvd(                                               \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,       \
      int n, T *A, int lda, T *B, int ldb, R *W, T *, int, int *info) {                            \
    return sygvd(handle, itype, jobz, uplo, n, native(A), lda, native(B), ldb, W, info);           \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvdx_bufferSize(                                   \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range,    \
      cublasFillMode_t uplo, int n, const T *, int lda, const T *, int ldb, R vl, R vu, int il,    \
      int iu, int *, const R *, int *lwork) {                                                      \
    return tellWorkspace(handle,                                                                   \
                         isType(itype) && isProblem(jobz, uplo, n, lda) && isLeading(ldb, n) &&    \
                             isRange(range, n, vl, vu, il, iu),                                    \
                         lwork);                                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvdx(                                              \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range,    \
      cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R vl, R vu, int il, int iu,      \
      int *meig, R *W, T *, int, int *info) {                                                      \
    return sygvdx(handle, itype, jobz, range, uplo, n, native(A), lda, native(B), ldb, vl, vu, il, \
                  iu, meig, W, info);                                                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evj_bufferSize(                                    \
      Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *, int lda,     \
      const R *, int *lwork, syevjInfo_t params) {                                                 \
    return tellWorkspace(handle, isProblem(jobz, uplo, n, lda) && params, lwork);                  \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evj(                                               \
      Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, R *W,    \
      T *, int, int *info, syevjInfo_t params) {                                                   \
    return syevj(handle, jobz, uplo, n, native(A), lda, W, info, params);                          \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evjBatched_bufferSize(                             \
      Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *, int lda,     \
      const R *, int *lwork, syevjInfo_t params, int batchSize) {                                  \
    return tellWorkspace(handle, isProblem(jobz, uplo, n, lda) && params && batchSize >= 0,        \
                         lwork);                                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##evjBatched(                                        \
      Handle handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, R *W,    \
      T *, int, int *info, syevjInfo_t params, int batchSize) {                                    \
    return syevjBatched(handle, jobz, uplo, n, native(A), lda, W, info, params, batchSize);        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvj_bufferSize(                                    \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,       \
      int n, const T *, int lda, const T *, int ldb, const R *, int *lwork, syevjInfo_t params) {  \
    return tellWorkspace(                                                                          \
        handle, isType(itype) && isProblem(jobz, uplo, n, lda) && isLeading(ldb, n) && params,     \
        lwork);                                                                                    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##E##gvj(                                               \
      Handle handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,       \
      int n, T *A, int lda, T *B, int ldb, R *W, T *, int, int *info, syevjInfo_t params) {        \
    HEDDLE_REQUIRE(handle, NOT_INITIALIZED);                                                       \
    HEDDLE_REQUIRE(params, INVALID_VALUE);                                                         \
    return sygvd(handle, itype, jobz, uplo, n, native(A), lda, native(B), ldb, W, info);           \
  }
HEDDLE_EIGENVALUES(S, Sor, Ssy, float, float)
HEDDLE_EIGENVALUES(D, Dor, Dsy, double, double)
HEDDLE_EIGENVALUES(C, Cun, Che, cuComplex, float)
HEDDLE_EIGENVALUES(Z, Zun, Zhe, cuDoubleComplex, double)
