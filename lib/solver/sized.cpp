// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dense functions of 64-bit sizes (cuSOLVER, "Dense Linear Solver Reference (64-bit API)" and
// "Dense Eigenvalue Solver Reference (64-bit API)"). The types are arguments; matrices and the type
// that is computed with are of one type of LAPACK's four. LAPACK here has sizes of 32 bits: larger
// ones are CUSOLVER_STATUS_NOT_SUPPORTED.
#include "solver/routines.h"

#include <limits>
#include <vector>

using namespace heddle::solver;

struct cusolverDnParams {
  cusolverAlgMode_t algorithms[2] = {CUSOLVER_ALG_0, CUSOLVER_ALG_0};
};

namespace {

template <typename T> struct Type {
  using Is = T;
};

/// Returns f(Type<T>) for the type; for another one the status that says so.
template <typename F> cusolverStatus_t withType(cudaDataType type, F &&f) {
  switch (type) {
  case CUDA_R_32F:
    return f(Type<float>());
  case CUDA_R_64F:
    return f(Type<double>());
  case CUDA_C_32F:
    return f(Type<ComplexFloat>());
  case CUDA_C_64F:
    return f(Type<ComplexDouble>());
  default:
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

cudaDataType realOf(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

bool fits(std::initializer_list<int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](int64_t size) { return size <= std::numeric_limits<int>::max(); });
}
bool isLeading64(int64_t ld, int64_t rows) { return ld >= std::max<int64_t>(1, rows); }

cusolverStatus_t check(cusolverDnHandle_t handle, bool valid,
                       std::initializer_list<int64_t> sizes) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid, INVALID_VALUE);
  HEDDLE_REQUIRE(fits(sizes), NOT_SUPPORTED);
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_CHECK(...)                                                                          \
  if (cusolverStatus_t status = check(__VA_ARGS__); status != CUSOLVER_STATUS_SUCCESS)             \
  return status

/// No memory is asked for (handle.h), but one byte, which some callers need to go on.
cusolverStatus_t tellSizes(cusolverDnHandle_t handle, bool valid, cudaDataType type, size_t *device,
                           size_t *host) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && device && host, INVALID_VALUE);
  return withType(type, [&](auto) {
    *device = 1, *host = 0;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

std::vector<int> narrowed(const int64_t *values, int64_t count) {
  return std::vector<int>(values, values + count);
}

} // namespace

HEDDLE_EXPORT cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params) {
  HEDDLE_REQUIRE(params, INVALID_VALUE);
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params,
                                                       cusolverDnFunction_t function,
                                                       cusolverAlgMode_t algo) {
  HEDDLE_REQUIRE(params && (function == CUSOLVERDN_GETRF || function == CUSOLVERDN_POTRF) &&
                     algo >= CUSOLVER_ALG_0 && algo <= CUSOLVER_ALG_2,
                 INVALID_VALUE);
  params->algorithms[function] = algo;
  return CUSOLVER_STATUS_SUCCESS;
}

// The arguments that the functions share. The buffers are not used.
#define HEDDLE_HANDLES cusolverDnHandle_t handle, cusolverDnParams_t
#define HEDDLE_SIZES size_t *device, size_t *host
#define HEDDLE_BUFFERS void *, size_t, void *, size_t

HEDDLE_EXPORT cusolverStatus_t cusolverDnXpotrf_bufferSize(HEDDLE_HANDLES, cublasFillMode_t uplo,
                                                           int64_t n, cudaDataType dataTypeA,
                                                           const void *, int64_t lda,
                                                           cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   isFill(uplo) && n >= 0 && isLeading64(lda, n) && dataTypeA == computeType,
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXpotrf(HEDDLE_HANDLES, cublasFillMode_t uplo, int64_t n,
                                                cudaDataType dataTypeA, void *A, int64_t lda,
                                                cudaDataType computeType, HEDDLE_BUFFERS,
                                                int *info) {
  HEDDLE_CHECK(handle, isFill(uplo) && n >= 0 && isLeading64(lda, n) && dataTypeA == computeType,
               {n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(handle, info, {matrixOf(static_cast<T *>(A), n, n, lda)}, [=] {
      int order = int(n), ld = int(lda), result = 0;
      char letterUplo = letter(uplo);
      HEDDLE_LAPACK_OF(T, potrf)(&letterUplo, &order, static_cast<T *>(A), &ld, &result);
      return result;
    });
  });
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXpotrs(HEDDLE_HANDLES, cublasFillMode_t uplo, int64_t n,
                                                int64_t nrhs, cudaDataType dataTypeA, const void *A,
                                                int64_t lda, cudaDataType dataTypeB, void *B,
                                                int64_t ldb, int *info) {
  HEDDLE_CHECK(handle,
               isFill(uplo) && n >= 0 && nrhs >= 0 && isLeading64(lda, n) && isLeading64(ldb, n) &&
                   dataTypeA == dataTypeB,
               {n, nrhs, lda, ldb});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info,
        {matrixOf(static_cast<const T *>(A), n, n, lda),
         matrixOf(static_cast<T *>(B), n, nrhs, ldb)},
        [=] {
          int order = int(n), sides = int(nrhs), ld = int(lda), ldOfB = int(ldb), result = 0;
          char letterUplo = letter(uplo);
          HEDDLE_LAPACK_OF(T, potrs)(&letterUplo, &order, &sides, static_cast<const T *>(A), &ld,
                                     static_cast<T *>(B), &ldOfB, &result);
          return result;
        });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgeqrf_bufferSize(HEDDLE_HANDLES, int64_t m, int64_t n,
                                                           cudaDataType dataTypeA, const void *,
                                                           int64_t lda, cudaDataType dataTypeTau,
                                                           const void *, cudaDataType computeType,
                                                           HEDDLE_SIZES) {
  return tellSizes(handle,
                   m >= 0 && n >= 0 && isLeading64(lda, m) && dataTypeA == computeType &&
                       dataTypeTau == dataTypeA,
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgeqrf(HEDDLE_HANDLES, int64_t m, int64_t n,
                                                cudaDataType dataTypeA, void *A, int64_t lda,
                                                cudaDataType dataTypeTau, void *tau,
                                                cudaDataType computeType, HEDDLE_BUFFERS,
                                                int *info) {
  HEDDLE_CHECK(handle,
               m >= 0 && n >= 0 && isLeading64(lda, m) && dataTypeA == computeType &&
                   dataTypeTau == dataTypeA,
               {m, n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(handle, info,
                            {matrixOf(static_cast<T *>(A), m, n, lda),
                             numbersOf(static_cast<T *>(tau), std::min(m, n))},
                            [=] {
                              int rows = int(m), cols = int(n), ld = int(lda);
                              InPlace<T> own(rows, cols, static_cast<T *>(A), ld);
                              return withWorkspace<T>([&](T *work, int *lwork, int *result) {
                                HEDDLE_LAPACK_OF(T, geqrf)(&rows, &cols, own.get(), own.ld(),
                                                           static_cast<T *>(tau), work, lwork,
                                                           result);
                              });
                            });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgetrf_bufferSize(HEDDLE_HANDLES, int64_t m, int64_t n,
                                                           cudaDataType dataTypeA, const void *,
                                                           int64_t lda, cudaDataType computeType,
                                                           HEDDLE_SIZES) {
  return tellSizes(handle, m >= 0 && n >= 0 && isLeading64(lda, m) && dataTypeA == computeType,
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgetrf(HEDDLE_HANDLES, int64_t m, int64_t n,
                                                cudaDataType dataTypeA, void *A, int64_t lda,
                                                int64_t *ipiv, cudaDataType computeType,
                                                HEDDLE_BUFFERS, int *info) {
  HEDDLE_CHECK(handle, m >= 0 && n >= 0 && isLeading64(lda, m) && dataTypeA == computeType,
               {m, n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info, {matrixOf(static_cast<T *>(A), m, n, lda), numbersOf(ipiv, std::min(m, n))},
        [=] {
          int rows = int(m), cols = int(n), ld = int(lda), result = 0;
          if (!ipiv)
            return factorWithoutPivots(rows, cols, static_cast<T *>(A), ld);
          std::vector<int> pivots(std::min(m, n) + 1);
          HEDDLE_LAPACK_OF(T, getrf)(&rows, &cols, static_cast<T *>(A), &ld, pivots.data(),
                                     &result);
          std::copy_n(pivots.begin(), std::min(m, n), ipiv);
          return result;
        });
  });
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgetrs(HEDDLE_HANDLES, cublasOperation_t trans, int64_t n,
                                                int64_t nrhs, cudaDataType dataTypeA, const void *A,
                                                int64_t lda, const int64_t *ipiv,
                                                cudaDataType dataTypeB, void *B, int64_t ldb,
                                                int *info) {
  HEDDLE_CHECK(handle,
               isOperation(trans) && n >= 0 && nrhs >= 0 && isLeading64(lda, n) &&
                   isLeading64(ldb, n) && dataTypeA == dataTypeB,
               {n, nrhs, lda, ldb});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(handle, info,
                            {matrixOf(static_cast<const T *>(A), n, n, lda), numbersOf(ipiv, n),
                             matrixOf(static_cast<T *>(B), n, nrhs, ldb)},
                            [=] {
                              int order = int(n), sides = int(nrhs), ld = int(lda),
                                  ldOfB = int(ldb), result = 0;
                              const T *a = static_cast<const T *>(A);
                              T *b = static_cast<T *>(B);
                              char letterTrans = letter(trans);
                              if (!ipiv) {
                                solveWithoutPivots(letterTrans, order, sides, a, ld, b, ldOfB);
                                return 0;
                              }
                              std::vector<int> pivots = narrowed(ipiv, n);
                              HEDDLE_LAPACK_OF(T, getrs)(&letterTrans, &order, &sides, a, &ld,
                                                         pivots.data(), b, &ldOfB, &result);
                              return result;
                            });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle,
                                                           cublasFillMode_t uplo, int64_t n,
                                                           int64_t nrhs, cudaDataType dataTypeA,
                                                           const void *, int64_t lda,
                                                           const int64_t *, cudaDataType dataTypeB,
                                                           void *, int64_t ldb, HEDDLE_SIZES) {
  return tellSizes(handle,
                   isFill(uplo) && n >= 0 && nrhs >= 0 && isLeading64(lda, n) &&
                       isLeading64(ldb, n) && dataTypeA == dataTypeB,
                   dataTypeA, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                                int64_t n, int64_t nrhs, cudaDataType dataTypeA,
                                                const void *A, int64_t lda, const int64_t *ipiv,
                                                cudaDataType dataTypeB, void *B, int64_t ldb,
                                                HEDDLE_BUFFERS, int *info) {
  HEDDLE_CHECK(handle,
               isFill(uplo) && n >= 0 && nrhs >= 0 && isLeading64(lda, n) && isLeading64(ldb, n) &&
                   dataTypeA == dataTypeB && ipiv,
               {n, nrhs, lda, ldb});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info,
        {matrixOf(static_cast<const T *>(A), n, n, lda), numbersOf(ipiv, n),
         matrixOf(static_cast<T *>(B), n, nrhs, ldb)},
        [=] {
          int order = int(n), sides = int(nrhs), ld = int(lda), ldOfB = int(ldb), result = 0;
          char letterUplo = letter(uplo);
          std::vector<int> pivots = narrowed(ipiv, n);
          HEDDLE_LAPACK_OF(T, sytrs)(&letterUplo, &order, &sides, static_cast<const T *>(A), &ld,
                                     pivots.data(), static_cast<T *>(B), &ldOfB, &result);
          return result;
        });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle,
                                                           cublasFillMode_t uplo,
                                                           cublasDiagType_t diag, int64_t n,
                                                           cudaDataType dataTypeA, void *,
                                                           int64_t lda, HEDDLE_SIZES) {
  return tellSizes(handle, isFill(uplo) && n >= 0 && isLeading64(lda, n), dataTypeA, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                                cublasDiagType_t diag, int64_t n,
                                                cudaDataType dataTypeA, void *A, int64_t lda,
                                                HEDDLE_BUFFERS, int *devInfo) {
  HEDDLE_CHECK(handle, isFill(uplo) && n >= 0 && isLeading64(lda, n), {n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(handle, devInfo, {matrixOf(static_cast<T *>(A), n, n, lda)}, [=] {
      int order = int(n), ld = int(lda), result = 0;
      char letters[] = {letter(uplo), letter(diag)};
      HEDDLE_LAPACK_OF(T, trtri)(&letters[0], &letters[1], &order, static_cast<T *>(A), &ld,
                                 &result);
      return result;
    });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXlarft_bufferSize(
    HEDDLE_HANDLES, cusolverDirectMode_t, cusolverStorevMode_t, int64_t n, int64_t k,
    cudaDataType dataTypeV, const void *, int64_t, cudaDataType dataTypeTau, const void *,
    cudaDataType dataTypeT, void *, int64_t ldt, cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   n >= 0 && k >= 0 && isLeading64(ldt, k) && dataTypeV == computeType &&
                       dataTypeTau == computeType && dataTypeT == computeType,
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXlarft(HEDDLE_HANDLES, cusolverDirectMode_t direct,
                                                cusolverStorevMode_t storev, int64_t n, int64_t k,
                                                cudaDataType dataTypeV, const void *V, int64_t ldv,
                                                cudaDataType dataTypeTau, const void *tau,
                                                cudaDataType dataTypeT, void *T, int64_t ldt,
                                                cudaDataType computeType, HEDDLE_BUFFERS) {
  HEDDLE_CHECK(handle,
               n >= 0 && k >= 0 && isLeading64(ldt, k) && dataTypeV == computeType &&
                   dataTypeTau == computeType && dataTypeT == computeType,
               {n, k, ldv, ldt});
  return withType(computeType, [=]<typename E>(Type<E>) {
    return inStream(handle, [=] {
      int order = int(n), count = int(k), ld = int(ldv), ldOfT = int(ldt);
      HEDDLE_LAPACK_OF(E, larft)(direct == CUBLAS_DIRECT_FORWARD ? "F" : "B",
                                 storev == CUBLAS_STOREV_COLUMNWISE ? "C" : "R", &order, &count,
                                 static_cast<const E *>(V), &ld, static_cast<const E *>(tau),
                                 static_cast<E *>(T), &ldOfT);
    });
  });
}

namespace {

bool isProblem(cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, int64_t lda,
               cudaDataType a, cudaDataType w, cudaDataType compute) {
  return isMode(jobz) && isFill(uplo) && n >= 0 && isLeading64(lda, n) && a == compute &&
         w == realOf(a);
}

} // namespace

HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevd_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                                           cublasFillMode_t uplo, int64_t n,
                                                           cudaDataType dataTypeA, const void *,
                                                           int64_t lda, cudaDataType dataTypeW,
                                                           const void *, cudaDataType computeType,
                                                           HEDDLE_SIZES) {
  return tellSizes(handle, isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType),
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevd(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                                cublasFillMode_t uplo, int64_t n,
                                                cudaDataType dataTypeA, void *A, int64_t lda,
                                                cudaDataType dataTypeW, void *W,
                                                cudaDataType computeType, HEDDLE_BUFFERS,
                                                int *info) {
  HEDDLE_CHECK(handle, isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType), {n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info,
        {matrixOf(static_cast<T *>(A), n, n, lda), numbersOf(static_cast<Real<T> *>(W), n)}, [=] {
          return eigenvalues(letter(jobz), letter(uplo), int(n), static_cast<T *>(A), int(lda),
                             static_cast<Real<T> *>(W));
        });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
    HEDDLE_HANDLES, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
    cudaDataType dataTypeA, const void *, int64_t lda, cudaDataType dataTypeW, const void *,
    cudaDataType computeType, HEDDLE_SIZES, int64_t batchSize) {
  return tellSizes(
      handle, isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType) && batchSize >= 0,
      computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevBatched(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                                      cublasFillMode_t uplo, int64_t n,
                                                      cudaDataType dataTypeA, void *A, int64_t lda,
                                                      cudaDataType dataTypeW, void *W,
                                                      cudaDataType computeType, HEDDLE_BUFFERS,
                                                      int *info, int64_t batchSize) {
  HEDDLE_CHECK(handle,
               isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType) && batchSize >= 0,
               {n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStream(handle, [=] {
      heddle::library::parallelFor(batchSize, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          info[i] =
              eigenvalues(letter(jobz), letter(uplo), int(n), static_cast<T *>(A) + i * lda * n,
                          int(lda), static_cast<Real<T> *>(W) + i * n);
      });
    });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevdx_bufferSize(
    HEDDLE_HANDLES, cusolverEigMode_t jobz, cusolverEigRange_t, cublasFillMode_t uplo, int64_t n,
    cudaDataType dataTypeA, const void *, int64_t lda, void *, void *, int64_t, int64_t, int64_t *,
    cudaDataType dataTypeW, const void *, cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle, isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType),
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXsyevdx(
    HEDDLE_HANDLES, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,
    int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, void *vl, void *vu, int64_t il,
    int64_t iu, int64_t *meig64, cudaDataType dataTypeW, void *W, cudaDataType computeType,
    HEDDLE_BUFFERS, int *info) {
  bool byValue = range == CUSOLVER_EIG_RANGE_V, byNumber = range == CUSOLVER_EIG_RANGE_I;
  HEDDLE_CHECK(handle,
               isProblem(jobz, uplo, n, lda, dataTypeA, dataTypeW, computeType) && meig64 &&
                   (byValue    ? vl && vu
                    : byNumber ? il >= 1 && il <= iu && iu <= n
                               : range == CUSOLVER_EIG_RANGE_ALL),
               {n, lda});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    using R = Real<T>;
    EigenRange<R> wanted{byValue    ? 'V'
                         : byNumber ? 'I'
                                    : 'A',
                         byValue ? *static_cast<R *>(vl) : 0, byValue ? *static_cast<R *>(vu) : 0,
                         int(il), int(iu)};
    return inStreamAndWait(handle, [=] {
      int found = 0;
      int result = eigenvaluesIn(wanted, letter(jobz), letter(uplo), int(n), static_cast<T *>(A),
                                 int(lda), &found, static_cast<R *>(W));
      *meig64 = found;
      if (info)
        *info = result;
    });
  });
}

namespace {

template <typename T>
int anyEigenvalues(char left, char right, int n, T *a, int lda, void *w, bool complexW, T *vl,
                   int ldvl, T *vr, int ldvr) {
  InPlace<T> own(n, n, a, lda), ownL(n, left == 'V' ? n : 0, vl, ldvl),
      ownR(n, right == 'V' ? n : 0, vr, ldvr);
  using R = Real<T>;
  std::vector<R> parts(2 * int64_t(n) + 1);
  int info = withWorkspace<T>([&](T *work, int *lwork, int *result) {
    if constexpr (IsComplex<T>)
      HEDDLE_LAPACK_OF(T, geev)(&left, &right, &n, own.get(), own.ld(), static_cast<T *>(w),
                                ownL.get(), ownL.ld(), ownR.get(), ownR.ld(), work, lwork,
                                parts.data(), result);
    else
      HEDDLE_LAPACK_OF(T, geev)(&left, &right, &n, own.get(), own.ld(), parts.data(),
                                parts.data() + n, ownL.get(), ownL.ld(), ownR.get(), ownR.ld(),
                                work, lwork, result);
  });
  // Of a real matrix: complex numbers, or all real parts before all imaginary ones.
  for (int i = 0; !IsComplex<T> && i < n; ++i)
    if (complexW)
      static_cast<std::complex<R> *>(w)[i] = {parts[i], parts[n + i]};
    else
      static_cast<R *>(w)[i] = parts[i], static_cast<R *>(w)[n + i] = parts[n + i];
  return info;
}

bool isGeev(cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n, cudaDataType a,
            int64_t lda, cudaDataType w, int64_t ldvl, int64_t ldvr, cudaDataType compute) {
  return isMode(jobvl) && isMode(jobvr) && n >= 0 && isLeading64(lda, n) && a == compute &&
         realOf(w) == realOf(a) && !(realOf(a) != a && w != a) &&
         (jobvl == CUSOLVER_EIG_MODE_NOVECTOR || isLeading64(ldvl, n)) &&
         (jobvr == CUSOLVER_EIG_MODE_NOVECTOR || isLeading64(ldvr, n));
}

} // namespace

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgeev_bufferSize(
    HEDDLE_HANDLES, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
    cudaDataType dataTypeA, const void *, int64_t lda, cudaDataType dataTypeW, const void *,
    cudaDataType, const void *, int64_t ldvl, cudaDataType, const void *, int64_t ldvr,
    cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   isGeev(jobvl, jobvr, n, dataTypeA, lda, dataTypeW, ldvl, ldvr, computeType),
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgeev(HEDDLE_HANDLES, cusolverEigMode_t jobvl,
                                               cusolverEigMode_t jobvr, int64_t n,
                                               cudaDataType dataTypeA, void *A, int64_t lda,
                                               cudaDataType dataTypeW, void *W, cudaDataType,
                                               void *VL, int64_t ldvl, cudaDataType, void *VR,
                                               int64_t ldvr, cudaDataType computeType,
                                               HEDDLE_BUFFERS, int *info) {
  HEDDLE_CHECK(handle, isGeev(jobvl, jobvr, n, dataTypeA, lda, dataTypeW, ldvl, ldvr, computeType),
               {n, lda, ldvl, ldvr});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info,
        {matrixOf(static_cast<T *>(A), n, n, lda),
         matrixOf(static_cast<T *>(VL), n, jobvl == CUSOLVER_EIG_MODE_VECTOR ? n : 0, ldvl),
         matrixOf(static_cast<T *>(VR), n, jobvr == CUSOLVER_EIG_MODE_VECTOR ? n : 0, ldvr)},
        [=] {
          return anyEigenvalues(letter(jobvl), letter(jobvr), int(n), static_cast<T *>(A), int(lda),
                                W, realOf(dataTypeW) != dataTypeW, static_cast<T *>(VL), int(ldvl),
                                static_cast<T *>(VR), int(ldvr));
        });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvd_bufferSize(
    HEDDLE_HANDLES, signed char, signed char, int64_t m, int64_t n, cudaDataType dataTypeA,
    const void *, int64_t lda, cudaDataType dataTypeS, const void *, cudaDataType, const void *,
    int64_t, cudaDataType, const void *, int64_t, cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   n >= 0 && m >= n && isLeading64(lda, m) && dataTypeA == computeType &&
                       dataTypeS == realOf(dataTypeA),
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvd(HEDDLE_HANDLES, signed char jobu, signed char jobvt,
                                                int64_t m, int64_t n, cudaDataType dataTypeA,
                                                void *A, int64_t lda, cudaDataType dataTypeS,
                                                void *S, cudaDataType, void *U, int64_t ldu,
                                                cudaDataType, void *VT, int64_t ldvt,
                                                cudaDataType computeType, HEDDLE_BUFFERS,
                                                int *info) {
  HEDDLE_CHECK(handle,
               n >= 0 && m >= n && isLeading64(lda, m) && dataTypeA == computeType &&
                   dataTypeS == realOf(dataTypeA),
               {m, n, lda, ldu, ldvt});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, info,
        {matrixOf(static_cast<T *>(A), m, n, lda), numbersOf(static_cast<Real<T> *>(S), n),
         matrixOf(static_cast<T *>(U), m,
                  jobu == 'A'   ? m
                  : jobu == 'S' ? n
                                : 0,
                  ldu),
         matrixOf(static_cast<T *>(VT), n, jobvt == 'A' || jobvt == 'S' ? n : 0, ldvt)},
        [=] {
          return singularValues(char(jobu), char(jobvt), int(m), int(n), static_cast<T *>(A),
                                int(lda), static_cast<Real<T> *>(S), static_cast<T *>(U), int(ldu),
                                static_cast<T *>(VT), int(ldvt));
        });
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvdp_bufferSize(
    HEDDLE_HANDLES, cusolverEigMode_t jobz, int, int64_t m, int64_t n, cudaDataType dataTypeA,
    const void *, int64_t lda, cudaDataType dataTypeS, const void *, cudaDataType, const void *,
    int64_t, cudaDataType, const void *, int64_t, cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   isMode(jobz) && m >= 0 && n >= 0 && isLeading64(lda, m) &&
                       dataTypeA == computeType && dataTypeS == realOf(dataTypeA),
                   computeType, device, host);
}
/// `h_err_sigma`, the perturbation that NVIDIA's method adds to reach convergence, is none here.
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvdp(HEDDLE_HANDLES, cusolverEigMode_t jobz, int econ,
                                                 int64_t m, int64_t n, cudaDataType dataTypeA,
                                                 void *A, int64_t lda, cudaDataType dataTypeS,
                                                 void *S, cudaDataType, void *U, int64_t ldu,
                                                 cudaDataType, void *V, int64_t ldv,
                                                 cudaDataType computeType, HEDDLE_BUFFERS,
                                                 int *info, double *h_err_sigma) {
  HEDDLE_CHECK(handle,
               isMode(jobz) && m >= 0 && n >= 0 && isLeading64(lda, m) &&
                   dataTypeA == computeType && dataTypeS == realOf(dataTypeA),
               {m, n, lda, ldu, ldv});
  if (h_err_sigma)
    *h_err_sigma = 0;
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(handle, info,
                            {matrixOf(static_cast<T *>(A), m, n, lda),
                             numbersOf(static_cast<Real<T> *>(S), std::min(m, n))},
                            [=] {
                              return jacobiValues(jobz == CUSOLVER_EIG_MODE_VECTOR, econ != 0,
                                                  int(m), int(n), static_cast<T *>(A), int(lda),
                                                  static_cast<Real<T> *>(S), static_cast<T *>(U),
                                                  int(ldu), static_cast<T *>(V), int(ldv));
                            });
  });
}

namespace {

/// The k largest values of all of them: what NVIDIA's sampling approximates.
template <typename T>
int largestValues(bool left, bool right, int m, int n, int k, T *a, int lda, Real<T> *s, T *u,
                  int ldu, T *v, int ldv) {
  int few = std::min(m, n);
  std::vector<T> allU(int64_t(m) * few + 1), allV(int64_t(n) * few + 1);
  std::vector<Real<T>> all(few + 1);
  int info = jacobiValues(true, true, m, n, a, lda, all.data(), allU.data(), m, allV.data(), n);
  std::copy_n(all.begin(), k, s);
  for (int j = 0; left && j < k; ++j)
    std::copy_n(allU.begin() + j * int64_t(m), m, u + j * int64_t(ldu));
  for (int j = 0; right && j < k; ++j)
    std::copy_n(allV.begin() + j * int64_t(n), n, v + j * int64_t(ldv));
  return info;
}

bool isGesvdr(signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
              int64_t lda, cudaDataType a, cudaDataType s, cudaDataType compute) {
  return (jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N') && m >= 0 && n >= 0 &&
         k >= 0 && p >= 0 && k + p <= std::min(m, n) && isLeading64(lda, m) && a == compute &&
         s == realOf(a);
}

} // namespace

HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvdr_bufferSize(
    HEDDLE_HANDLES, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
    int64_t, cudaDataType dataTypeA, const void *, int64_t lda, cudaDataType dataTypeSrand,
    const void *, cudaDataType, const void *, int64_t, cudaDataType, const void *, int64_t,
    cudaDataType computeType, HEDDLE_SIZES) {
  return tellSizes(handle,
                   isGesvdr(jobu, jobv, m, n, k, p, lda, dataTypeA, dataTypeSrand, computeType),
                   computeType, device, host);
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnXgesvdr(
    HEDDLE_HANDLES, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
    int64_t, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeSrand, void *Srand,
    cudaDataType, void *Urand, int64_t ldUrand, cudaDataType, void *Vrand, int64_t ldVrand,
    cudaDataType computeType, HEDDLE_BUFFERS, int *d_info) {
  HEDDLE_CHECK(handle, isGesvdr(jobu, jobv, m, n, k, p, lda, dataTypeA, dataTypeSrand, computeType),
               {m, n, lda, ldUrand, ldVrand});
  return withType(dataTypeA, [=]<typename T>(Type<T>) {
    return inStreamWithInfo(
        handle, d_info,
        {matrixOf(static_cast<T *>(A), m, n, lda), numbersOf(static_cast<Real<T> *>(Srand), k),
         matrixOf(static_cast<T *>(Urand), m, jobu == 'S' ? k : 0, ldUrand),
         matrixOf(static_cast<T *>(Vrand), n, jobv == 'S' ? k : 0, ldVrand)},
        [=] {
          return largestValues(jobu == 'S', jobv == 'S', int(m), int(n), int(k),
                               static_cast<T *>(A), int(lda), static_cast<Real<T> *>(Srand),
                               static_cast<T *>(Urand), int(ldUrand), static_cast<T *>(Vrand),
                               int(ldVrand));
        });
  });
}
