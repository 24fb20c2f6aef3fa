// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's dense part (cuSOLVER, "cuSolverDN: dense LAPACK Functions"). Matrices lie by columns.
// What exists in several types is declared once, as a list of functions of a letter and a type; the
// functions of 64-bit sizes are in heddle/cusolver_x.h, those with iterative refinement in
// heddle/cusolver_irs.h. For C and C++.
#ifndef HEDDLE_CUSOLVER_DN_H
#define HEDDLE_CUSOLVER_DN_H
#define CUSOLVERDN_H_

#include <inttypes.h>

#include "cusolver_common.h"

struct cusolverDnContext;
typedef struct cusolverDnContext *cusolverDnHandle_t;
struct syevjInfo;
typedef struct syevjInfo *syevjInfo_t;
struct gesvdjInfo;
typedef struct gesvdjInfo *gesvdjInfo_t;
struct cusolverDnIRSParams;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
struct cusolverDnIRSInfos;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;
struct cusolverDnParams;
typedef struct cusolverDnParams *cusolverDnParams_t;

typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1 } cusolverDnFunction_t;
typedef void (*cusolverDnLoggerCallback_t)(int logLevel, const char *functionName,
                                           const char *message);

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t *mode);
cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t callback);
cusolverStatus_t cusolverDnLoggerSetFile(FILE *file);
cusolverStatus_t cusolverDnLoggerOpenFile(const char *logFile);
cusolverStatus_t cusolverDnLoggerSetLevel(int level);
cusolverStatus_t cusolverDnLoggerSetMask(int mask);
cusolverStatus_t cusolverDnLoggerForceDisable(void);

// How Jacobi's method goes, and how it went
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info,
                                             double *residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info,
                                           int *sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                              double *residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                            int *sweeps);

/// Systems of equations; Q is the letter with "or" or "un". The workspaces' sizes are in elements.
#define HEDDLE_DECLARE_SYSTEMS(p, Q, T)                                                          \
  cusolverStatus_t cusolverDn##p##potrf_bufferSize(cusolverDnHandle_t handle,                      \
                                                   cublasFillMode_t uplo, int n, T *A, int lda,    \
                                                   int *Lwork);                                    \
  cusolverStatus_t cusolverDn##p##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T *A, int lda, T *Workspace, int Lwork, int *devInfo);     \
  cusolverStatus_t cusolverDn##p##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        int nrhs, const T *A, int lda, T *B, int ldb,              \
                                        int *devInfo);                                             \
  cusolverStatus_t cusolverDn##p##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo,   \
                                               int n, T *Aarray[], int lda, int *infoArray,        \
                                               int batchSize);                                     \
  cusolverStatus_t cusolverDn##p##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo,   \
                                               int n, int nrhs, T *Aarray[], int lda, T *Barray[], \
                                               int ldb, int *devInfo, int batchSize);              \
  cusolverStatus_t cusolverDn##p##potri_bufferSize(cusolverDnHandle_t handle,                      \
                                                   cublasFillMode_t uplo, int n, T *A, int lda,    \
                                                   int *lwork);                                    \
  cusolverStatus_t cusolverDn##p##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T *A, int lda, T *work, int lwork, int *devInfo);          \
  cusolverStatus_t cusolverDn##p##lauum_bufferSize(cusolverDnHandle_t handle,                      \
                                                   cublasFillMode_t uplo, int n, T *A, int lda,    \
                                                   int *lwork);                                    \
  cusolverStatus_t cusolverDn##p##lauum(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T *A, int lda, T *work, int lwork, int *devInfo);          \
  cusolverStatus_t cusolverDn##p##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A,  \
                                                   int lda, int *Lwork);                           \
  cusolverStatus_t cusolverDn##p##getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,    \
                                        T *Workspace, int *devIpiv, int *devInfo);                 \
  cusolverStatus_t cusolverDn##p##laswp(cusolverDnHandle_t handle, int n, T *A, int lda, int k1,   \
                                        int k2, const int *devIpiv, int incx);                     \
  cusolverStatus_t cusolverDn##p##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, \
                                        int nrhs, const T *A, int lda, const int *devIpiv, T *B,   \
                                        int ldb, int *devInfo);                                    \
  cusolverStatus_t cusolverDn##p##sytrf_bufferSize(cusolverDnHandle_t handle, int n, T *A,         \
                                                   int lda, int *lwork);                           \
  cusolverStatus_t cusolverDn##p##sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T *A, int lda, int *ipiv, T *work, int lwork, int *info);  \
  cusolverStatus_t cusolverDn##p##sytri_bufferSize(cusolverDnHandle_t handle,                      \
                                                   cublasFillMode_t uplo, int n, T *A, int lda,    \
                                                   const int *ipiv, int *lwork);                   \
  cusolverStatus_t cusolverDn##p##sytri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T *A, int lda, const int *ipiv, T *work, int lwork,        \
                                        int *info);                                                \
  cusolverStatus_t cusolverDn##p##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *A,  \
                                                   int lda, int *lwork);                           \
  cusolverStatus_t cusolverDn##p##geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,    \
                                        T *TAU, T *Workspace, int Lwork, int *devInfo);            \
  cusolverStatus_t cusolverDn##Q##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     int k, const T *A, int lda, const T *tau,     \
                                                     int *lwork);                                  \
  cusolverStatus_t cusolverDn##Q##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *A,    \
                                          int lda, const T *tau, T *work, int lwork, int *info);   \
  cusolverStatus_t cusolverDn##Q##mqr_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T *A, int lda, const T *tau, const T *C, int ldc, int *lwork);                  \
  cusolverStatus_t cusolverDn##Q##mqr(                                                         \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T *A, int lda, const T *tau, T *C, int ldc, T *work, int lwork, int *devInfo);
HEDDLE_DECLARE_SYSTEMS(S, Sor, float)
HEDDLE_DECLARE_SYSTEMS(D, Dor, double)
HEDDLE_DECLARE_SYSTEMS(C, Cun, cuComplex)
HEDDLE_DECLARE_SYSTEMS(Z, Zun, cuDoubleComplex)
#undef HEDDLE_DECLARE_SYSTEMS

/// Reductions, singular values and eigenvalues.
#define HEDDLE_DECLARE_VALUES(p, Q, E, T, R)                                                     \
  cusolverStatus_t cusolverDn##p##gebrd_bufferSize(cusolverDnHandle_t handle, int m, int n,        \
                                                   int *Lwork);                                    \
  cusolverStatus_t cusolverDn##p##gebrd(cusolverDnHandle_t handle, int m, int n, T *A, int lda,    \
                                        R *D, R *E, T *TAUQ, T *TAUP, T *Work, int Lwork,          \
                                        int *devInfo);                                             \
  cusolverStatus_t cusolverDn##Q##gbr_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, const T *A, int lda,  \
      const T *tau, int *lwork);                                                                   \
  cusolverStatus_t cusolverDn##Q##gbr(cusolverDnHandle_t handle, cublasSideMode_t side, int m, \
                                          int n, int k, T *A, int lda, const T *tau, T *work,      \
                                          int lwork, int *info);                                   \
  cusolverStatus_t cusolverDn##E##trd_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda, const R *d,    \
      const R *e, const T *tau, int *lwork);                                                       \
  cusolverStatus_t cusolverDn##E##trd(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T *A, int lda, R *d, R *e, T *tau, T *work, int lwork,   \
                                          int *info);                                              \
  cusolverStatus_t cusolverDn##Q##gtr_bufferSize(cusolverDnHandle_t handle,                    \
                                                     cublasFillMode_t uplo, int n, const T *A,     \
                                                     int lda, const T *tau, int *lwork);           \
  cusolverStatus_t cusolverDn##Q##gtr(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T *A, int lda, const T *tau, T *work, int lwork,         \
                                          int *info);                                              \
  cusolverStatus_t cusolverDn##Q##mtr_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                     \
      cublasOperation_t trans, int m, int n, const T *A, int lda, const T *tau, const T *C,        \
      int ldc, int *lwork);                                                                        \
  cusolverStatus_t cusolverDn##Q##mtr(                                                         \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                     \
      cublasOperation_t trans, int m, int n, T *A, int lda, T *tau, T *C, int ldc, T *work,        \
      int lwork, int *info);                                                                       \
  cusolverStatus_t cusolverDn##p##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,        \
                                                   int *lwork);                                    \
  cusolverStatus_t cusolverDn##p##gesvd(cusolverDnHandle_t handle, signed char jobu,               \
                                        signed char jobvt, int m, int n, T *A, int lda, R *S,      \
                                        T *U, int ldu, T *VT, int ldvt, T *work, int lwork,        \
                                        R *rwork, int *info);                                      \
  cusolverStatus_t cusolverDn##p##gesvdj_bufferSize(                                               \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, const T *A,       \
      int lda, const R *S, const T *U, int ldu, const T *V, int ldv, int *lwork,                   \
      gesvdjInfo_t params);                                                                        \
  cusolverStatus_t cusolverDn##p##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz,        \
                                         int econ, int m, int n, T *A, int lda, R *S, T *U,        \
                                         int ldu, T *V, int ldv, T *work, int lwork, int *info,    \
                                         gesvdjInfo_t params);                                     \
  cusolverStatus_t cusolverDn##p##gesvdjBatched_bufferSize(                                        \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T *A, int lda,        \
      const R *S, const T *U, int ldu, const T *V, int ldv, int *lwork, gesvdjInfo_t params,       \
      int batchSize);                                                                              \
  cusolverStatus_t cusolverDn##p##gesvdjBatched(                                                   \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *A, int lda, R *S, T *U,  \
      int ldu, T *V, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params, int batchSize);  \
  cusolverStatus_t cusolverDn##p##gesvdaStridedBatched_bufferSize(                                 \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A,     \
      int lda, long long int strideA, const R *d_S, long long int strideS, const T *d_U, int ldu,  \
      long long int strideU, const T *d_V, int ldv, long long int strideV, int *lwork,             \
      int batchSize);                                                                              \
  cusolverStatus_t cusolverDn##p##gesvdaStridedBatched(                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A,     \
      int lda, long long int strideA, R *d_S, long long int strideS, T *d_U, int ldu,              \
      long long int strideU, T *d_V, int ldv, long long int strideV, T *d_work, int lwork,         \
      int *d_info, double *h_R_nrmF, int batchSize);                                               \
  cusolverStatus_t cusolverDn##E##evd_bufferSize(                                              \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, \
      int lda, const R *W, int *lwork);                                                            \
  cusolverStatus_t cusolverDn##E##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz,       \
                                          cublasFillMode_t uplo, int n, T *A, int lda, R *W,       \
                                          T *work, int lwork, int *info);                          \
  cusolverStatus_t cusolverDn##E##evdx_bufferSize(                                             \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,                 \
      cublasFillMode_t uplo, int n, const T *A, int lda, R vl, R vu, int il, int iu, int *meig,    \
      const R *W, int *lwork);                                                                     \
  cusolverStatus_t cusolverDn##E##evdx(                                                        \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,                 \
      cublasFillMode_t uplo, int n, T *A, int lda, R vl, R vu, int il, int iu, int *meig, R *W,    \
      T *work, int lwork, int *info);                                                              \
  cusolverStatus_t cusolverDn##E##gvd_bufferSize(                                              \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, const R *W,          \
      int *lwork);                                                                                 \
  cusolverStatus_t cusolverDn##E##gvd(                                                         \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,        \
      int *info);                                                                                  \
  cusolverStatus_t cusolverDn##E##gvdx_bufferSize(                                             \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *A, int lda, const T *B,     \
      int ldb, R vl, R vu, int il, int iu, int *meig, const R *W, int *lwork);                     \
  cusolverStatus_t cusolverDn##E##gvdx(                                                        \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R vl,  \
      R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info);                       \
  cusolverStatus_t cusolverDn##E##evj_bufferSize(                                              \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, \
      int lda, const R *W, int *lwork, syevjInfo_t params);                                        \
  cusolverStatus_t cusolverDn##E##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz,       \
                                          cublasFillMode_t uplo, int n, T *A, int lda, R *W,       \
                                          T *work, int lwork, int *info, syevjInfo_t params);      \
  cusolverStatus_t cusolverDn##E##evjBatched_bufferSize(                                       \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, \
      int lda, const R *W, int *lwork, syevjInfo_t params, int batchSize);                         \
  cusolverStatus_t cusolverDn##E##evjBatched(                                                  \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A,       \
      int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params, int batchSize);            \
  cusolverStatus_t cusolverDn##E##gvj_bufferSize(                                              \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, const R *W,          \
      int *lwork, syevjInfo_t params);                                                             \
  cusolverStatus_t cusolverDn##E##gvj(                                                         \
      cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                  \
      cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork,        \
      int *info, syevjInfo_t params);
HEDDLE_DECLARE_VALUES(S, Sor, Ssy, float, float)
HEDDLE_DECLARE_VALUES(D, Dor, Dsy, double, double)
HEDDLE_DECLARE_VALUES(C, Cun, Che, cuComplex, float)
HEDDLE_DECLARE_VALUES(Z, Zun, Zhe, cuDoubleComplex, double)
#undef HEDDLE_DECLARE_VALUES

#if defined(__cplusplus)
}
#endif

#include "heddle/cusolver_irs.h"
#include "heddle/cusolver_x.h"

#endif
