// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems of equations: Cholesky, LU with and without pivots, Bunch and Kaufman's factors, QR
// (cuSOLVER, "Dense Linear Solver Reference (legacy)").
#include "solver/routines.h"

namespace heddle::solver {

namespace {

using Handle = cusolverDnHandle_t;

template <typename T> int choleskyOf(char uplo, int n, T *a, int lda) {
  int info = 0;
  HEDDLE_LAPACK_OF(T, potrf)(&uplo, &n, a, &lda, &info);
  return info;
}

template <typename T>
cusolverStatus_t potrf(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda)},
                          [=] { return choleskyOf(letter(uplo), n, a, lda); });
}

template <typename T>
int solveCholesky(char uplo, int n, int nrhs, const T *a, int lda, T *b, int ldb) {
  int info = 0;
  HEDDLE_LAPACK_OF(T, potrs)(&uplo, &n, &nrhs, a, &lda, b, &ldb, &info);
  return info;
}

template <typename T>
cusolverStatus_t potrs(Handle handle, cublasFillMode_t uplo, int n, int nrhs, const T *a, int lda,
                       T *b, int ldb, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && nrhs >= 0 && isLeading(lda, n) && isLeading(ldb, n),
                 INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda), matrixOf(b, n, nrhs, ldb)},
                          [=] { return solveCholesky(letter(uplo), n, nrhs, a, lda, b, ldb); });
}

/// Batches go over threads; `infos` has one a matrix.
template <typename T>
cusolverStatus_t potrfBatched(Handle handle, cublasFillMode_t uplo, int n, T *const *a, int lda,
                              int *infos, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n) && count >= 0, INVALID_VALUE);
  return inStream(handle, [=] {
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        infos[i] = choleskyOf(letter(uplo), n, a[i], lda);
    });
  });
}

template <typename T>
cusolverStatus_t potrsBatched(Handle handle, cublasFillMode_t uplo, int n, int nrhs, T *const *a,
                              int lda, T *const *b, int ldb, int *devInfo, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  // cuSOLVER, "cusolverDn<t>potrsBatched()": one right side.
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && nrhs >= 0 && nrhs <= 1 && isLeading(lda, n) &&
                     isLeading(ldb, n) && count >= 0,
                 INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {}, [=] {
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        solveCholesky(letter(uplo), n, nrhs, a[i], lda, b[i], ldb);
    });
    return 0;
  });
}

template <typename T>
cusolverStatus_t potri(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda)}, [=] {
    int info = 0;
    char letterUplo = letter(uplo);
    InPlace<T> own(n, n, a, lda);
    HEDDLE_LAPACK_OF(T, potri)(&letterUplo, &n, own.get(), own.ld(), &info);
    return info;
  });
}

template <typename T>
cusolverStatus_t lauum(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda)}, [=] {
    int info = 0;
    char letterUplo = letter(uplo);
    InPlace<T> own(n, n, a, lda);
    HEDDLE_LAPACK_OF(T, lauum)(&letterUplo, &n, own.get(), own.ld(), &info);
    return info;
  });
}

/// Without pivots if `ipiv` is null.
template <typename T>
cusolverStatus_t getrf(Handle handle, int m, int n, T *a, int lda, int *ipiv, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && isLeading(lda, m), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo,
                          {matrixOf(a, m, n, lda), numbersOf(ipiv, std::min(m, n))}, [=] {
                            if (!ipiv)
                              return factorWithoutPivots(m, n, a, lda);
                            int info = 0;
                            HEDDLE_LAPACK_OF(T, getrf)(&m, &n, a, &lda, ipiv, &info);
                            return info;
                          });
}

template <typename T>
cusolverStatus_t laswp(Handle handle, int n, T *a, int lda, int k1, int k2, const int *ipiv,
                       int incx) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(n >= 0 && lda >= 1 && k1 >= 1 && k2 >= k1 && ipiv && incx != 0, INVALID_VALUE);
  return inStream(handle, [=] { HEDDLE_LAPACK_OF(T, laswp)(&n, a, &lda, &k1, &k2, ipiv, &incx); });
}

template <typename T>
cusolverStatus_t getrs(Handle handle, cublasOperation_t trans, int n, int nrhs, const T *a, int lda,
                       const int *ipiv, T *b, int ldb, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOperation(trans) && n >= 0 && nrhs >= 0 && isLeading(lda, n) &&
                     isLeading(ldb, n),
                 INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(ipiv, n), matrixOf(b, n, nrhs, ldb)},
      [=] {
        int info = 0;
        char letterTrans = letter(trans);
        if (!ipiv)
          solveWithoutPivots(letterTrans, n, nrhs, a, lda, b, ldb);
        else
          HEDDLE_LAPACK_OF(T, getrs)(&letterTrans, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info);
        return info;
      });
}

template <typename T>
cusolverStatus_t sytrf(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, int *ipiv,
                       int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n) && ipiv, INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(ipiv, n)}, [=] {
    char letterUplo = letter(uplo);
    InPlace<T> own(n, n, a, lda);
    return withWorkspace<T>([&](T *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(T, sytrf)(&letterUplo, &n, own.get(), own.ld(), ipiv, work, lwork, info);
    });
  });
}

template <typename T>
cusolverStatus_t sytri(Handle handle, cublasFillMode_t uplo, int n, T *a, int lda, const int *ipiv,
                       int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isFill(uplo) && n >= 0 && isLeading(lda, n) && ipiv, INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, n, n, lda), numbersOf(ipiv, n)}, [=] {
    int info = 0;
    char letterUplo = letter(uplo);
    std::unique_ptr<T[]> work = workspace<T>(2 * int64_t(n));
    InPlace<T> own(n, n, a, lda);
    HEDDLE_LAPACK_OF(T, sytri)(&letterUplo, &n, own.get(), own.ld(), ipiv, work.get(), &info);
    return info;
  });
}

template <typename T>
cusolverStatus_t geqrf(Handle handle, int m, int n, T *a, int lda, T *tau, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && isLeading(lda, m), INVALID_VALUE);
  return inStreamWithInfo(
      handle, devInfo, {matrixOf(a, m, n, lda), numbersOf(tau, std::min(m, n))}, [=] {
        InPlace<T> own(m, n, a, lda);
        return withWorkspace<T>([&](T *work, int *lwork, int *info) {
          HEDDLE_LAPACK_OF(T, geqrf)(&m, &n, own.get(), own.ld(), tau, work, lwork, info);
        });
      });
}

bool isOrgqr(int m, int n, int k, int lda) {
  return m >= 0 && n >= 0 && n <= m && k >= 0 && k <= n && isLeading(lda, m);
}

template <typename T>
cusolverStatus_t orgqr(Handle handle, int m, int n, int k, T *a, int lda, const T *tau,
                       int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOrgqr(m, n, k, lda), INVALID_VALUE);
  return inStreamWithInfo(handle, devInfo, {matrixOf(a, m, n, lda), numbersOf(tau, k)}, [=] {
    InPlace<T> own(m, n, a, lda);
    return withWorkspace<T>([&](T *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(T, orgqr)(&m, &n, &k, own.get(), own.ld(), tau, work, lwork, info);
    });
  });
}

bool isOrmqr(cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, int lda,
             int ldc) {
  int order = side == CUBLAS_SIDE_LEFT ? m : n;
  return isSide(side) && isOperation(trans) && m >= 0 && n >= 0 && k >= 0 && k <= order &&
         isLeading(lda, order) && isLeading(ldc, m);
}

template <typename T>
cusolverStatus_t ormqr(Handle handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,
                       int k, const T *a, int lda, const T *tau, T *c, int ldc, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(isOrmqr(side, trans, m, n, k, lda, ldc), INVALID_VALUE);
  // A complex Q has no transposition without conjugation in LAPACK.
  HEDDLE_REQUIRE(!IsComplex<T> || trans != CUBLAS_OP_T, NOT_SUPPORTED);
  return inStreamWithInfo(handle, devInfo,
                          {matrixOf(a, side == CUBLAS_SIDE_LEFT ? m : n, k, lda), numbersOf(tau, k),
                           matrixOf(c, m, n, ldc)},
                          [=] {
                            char letterSide = letter(side), letterTrans = letter(trans);
                            if (!IsComplex<T> && letterTrans == 'C')
                              letterTrans = 'T';
                            InPlace<T> own(m, n, c, ldc);
                            return withWorkspace<T>([&](T *work, int *lwork, int *info) {
                              HEDDLE_LAPACK_OF(T, ormqr)(&letterSide, &letterTrans, &m, &n, &k, a,
                                                         &lda, tau, own.get(), own.ld(), work,
                                                         lwork, info);
                            });
                          });
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

// The interface. Workspaces are not used (handle.h).
#define HEDDLE_SYSTEMS(p, Q, T)                                                                    \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potrf_bufferSize(                                  \
      Handle handle, cublasFillMode_t uplo, int n, T *, int lda, int *lwork) {                     \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potrf(Handle handle, cublasFillMode_t uplo, int n, \
                                                      T *A, int lda, T *, int, int *devInfo) {     \
    return potrf(handle, uplo, n, native(A), lda, devInfo);                                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potrs(Handle handle, cublasFillMode_t uplo, int n, \
                                                      int nrhs, const T *A, int lda, T *B,         \
                                                      int ldb, int *devInfo) {                     \
    return potrs(handle, uplo, n, nrhs, native(A), lda, native(B), ldb, devInfo);                  \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potrfBatched(Handle handle, cublasFillMode_t uplo, \
                                                             int n, T *Aarray[], int lda,          \
                                                             int *infoArray, int batchSize) {      \
    using Native = std::remove_reference_t<decltype(*native(Aarray[0]))>;                          \
    return potrfBatched(handle, uplo, n, reinterpret_cast<Native *const *>(Aarray), lda,           \
                        infoArray, batchSize);                                                     \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potrsBatched(                                      \
      Handle handle, cublasFillMode_t uplo, int n, int nrhs, T *Aarray[], int lda, T *Barray[],    \
      int ldb, int *devInfo, int batchSize) {                                                      \
    using Native = std::remove_reference_t<decltype(*native(Aarray[0]))>;                          \
    return potrsBatched(handle, uplo, n, nrhs, reinterpret_cast<Native *const *>(Aarray), lda,     \
                        reinterpret_cast<Native *const *>(Barray), ldb, devInfo, batchSize);       \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potri_bufferSize(                                  \
      Handle handle, cublasFillMode_t uplo, int n, T *, int lda, int *lwork) {                     \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##potri(Handle handle, cublasFillMode_t uplo, int n, \
                                                      T *A, int lda, T *, int, int *devInfo) {     \
    return potri(handle, uplo, n, native(A), lda, devInfo);                                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##lauum_bufferSize(                                  \
      Handle handle, cublasFillMode_t uplo, int n, T *, int lda, int *lwork) {                     \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##lauum(Handle handle, cublasFillMode_t uplo, int n, \
                                                      T *A, int lda, T *, int, int *devInfo) {     \
    return lauum(handle, uplo, n, native(A), lda, devInfo);                                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##getrf_bufferSize(Handle handle, int m, int n, T *, \
                                                                 int lda, int *lwork) {            \
    return tellWorkspace(handle, m >= 0 && n >= 0 && isLeading(lda, m), lwork);                    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##getrf(Handle handle, int m, int n, T *A, int lda,  \
                                                      T *, int *devIpiv, int *devInfo) {           \
    return getrf(handle, m, n, native(A), lda, devIpiv, devInfo);                                  \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##laswp(Handle handle, int n, T *A, int lda, int k1, \
                                                      int k2, const int *devIpiv, int incx) {      \
    return laswp(handle, n, native(A), lda, k1, k2, devIpiv, incx);                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##getrs(                                             \
      Handle handle, cublasOperation_t trans, int n, int nrhs, const T *A, int lda,                \
      const int *devIpiv, T *B, int ldb, int *devInfo) {                                           \
    return getrs(handle, trans, n, nrhs, native(A), lda, devIpiv, native(B), ldb, devInfo);        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##sytrf_bufferSize(Handle handle, int n, T *,        \
                                                                 int lda, int *lwork) {            \
    return tellWorkspace(handle, n >= 0 && isLeading(lda, n), lwork);                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##sytrf(Handle handle, cublasFillMode_t uplo, int n, \
                                                      T *A, int lda, int *ipiv, T *, int,          \
                                                      int *info) {                                 \
    return sytrf(handle, uplo, n, native(A), lda, ipiv, info);                                     \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##sytri_bufferSize(                                  \
      Handle handle, cublasFillMode_t uplo, int n, T *, int lda, const int *, int *lwork) {        \
    return tellWorkspace(handle, isFill(uplo) && n >= 0 && isLeading(lda, n), lwork);              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##sytri(Handle handle, cublasFillMode_t uplo, int n, \
                                                      T *A, int lda, const int *ipiv, T *, int,    \
                                                      int *info) {                                 \
    return sytri(handle, uplo, n, native(A), lda, ipiv, info);                                     \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##geqrf_bufferSize(Handle handle, int m, int n, T *, \
                                                                 int lda, int *lwork) {            \
    return tellWorkspace(handle, m >= 0 && n >= 0 && isLeading(lda, m), lwork);                    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##p##geqrf(Handle handle, int m, int n, T *A, int lda,  \
                                                      T *TAU, T *, int, int *devInfo) {            \
    return geqrf(handle, m, n, native(A), lda, native(TAU), devInfo);                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gqr_bufferSize(                                    \
      Handle handle, int m, int n, int k, const T *, int lda, const T *, int *lwork) {             \
    return tellWorkspace(handle, isOrgqr(m, n, k, lda), lwork);                                    \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##gqr(Handle handle, int m, int n, int k, T *A,      \
                                                    int lda, const T *tau, T *, int, int *info) {  \
    return orgqr(handle, m, n, k, native(A), lda, native(tau), info);                              \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##mqr_bufferSize(                                    \
      Handle handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,          \
      const T *, int lda, const T *, const T *, int ldc, int *lwork) {                             \
    return tellWorkspace(handle, isOrmqr(side, trans, m, n, k, lda, ldc), lwork);                  \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##Q##mqr(                                               \
      Handle handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,          \
      const T *A, int lda, const T *tau, T *C, int ldc, T *, int, int *devInfo) {                  \
    return ormqr(handle, side, trans, m, n, k, native(A), lda, native(tau), native(C), ldc,        \
                 devInfo);                                                                         \
  }
HEDDLE_SYSTEMS(S, Sor, float)
HEDDLE_SYSTEMS(D, Dor, double)
HEDDLE_SYSTEMS(C, Cun, cuComplex)
HEDDLE_SYSTEMS(Z, Zun, cuDoubleComplex)
