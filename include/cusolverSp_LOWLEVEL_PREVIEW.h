// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's sparse factors in single steps: an analysis of the pattern, the factors, and right
// sides one by one. The functions whose names end in `Host` take host memory. For C and C++.
#ifndef HEDDLE_CUSOLVER_SP_LOWLEVEL_PREVIEW_H
#define HEDDLE_CUSOLVER_SP_LOWLEVEL_PREVIEW_H
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_

#include "cusolverSp.h"

struct csrluInfoHost;
typedef struct csrluInfoHost *csrluInfoHost_t;
struct csrqrInfoHost;
typedef struct csrqrInfoHost *csrqrInfoHost_t;
struct csrcholInfoHost;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
struct csrcholInfo;
typedef struct csrcholInfo *csrcholInfo_t;

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);

cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                              const cusparseMatDescr_t descrA,
                                              const int *csrRowPtrA, const int *csrColIndA,
                                              csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *nnzL, int *nnzU,
                                         csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                              const cusparseMatDescr_t descrA,
                                              const int *csrRowPtrA, const int *csrColIndA,
                                              csrqrInfoHost_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                                const cusparseMatDescr_t descrA,
                                                const int *csrRowPtrA, const int *csrColIndA,
                                                csrcholInfoHost_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int nnzA,
                                            const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                            const int *csrColIndA, csrcholInfo_t info);

// QR: of A - mu I, m rows and n columns. The factors may solve a first system while they are made,
// if `b` and `x` are not null.
#define HEDDLE_DECLARE_QR(p, T, R, host, Info)                                                     \
  cusolverStatus_t cusolverSp##p##csrqrBufferInfo##host(                                           \
      cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,          \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, Info info,                   \
      size_t *internalDataInBytes, size_t *workspaceInBytes);                                      \
  cusolverStatus_t cusolverSp##p##csrqrSetup##host(                                                \
      cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,          \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, T mu, Info info);            \
  cusolverStatus_t cusolverSp##p##csrqrFactor##host(                                               \
      cusolverSpHandle_t handle, int m, int n, int nnzA, T *b, T *x, Info info, void *pBuffer);    \
  cusolverStatus_t cusolverSp##p##csrqrZeroPivot##host(cusolverSpHandle_t handle, Info info,       \
                                                       R tol, int *position);                      \
  cusolverStatus_t cusolverSp##p##csrqrSolve##host(cusolverSpHandle_t handle, int m, int n, T *b,  \
                                                   T *x, Info info, void *pBuffer);
// Cholesky's method, on the lower triangle.
#define HEDDLE_DECLARE_CHOLESKY(p, T, R, host, Info)                                               \
  cusolverStatus_t cusolverSp##p##csrcholBufferInfo##host(                                         \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,                 \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, Info info,                   \
      size_t *internalDataInBytes, size_t *workspaceInBytes);                                      \
  cusolverStatus_t cusolverSp##p##csrcholFactor##host(                                             \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,                 \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, Info info, void *pBuffer);   \
  cusolverStatus_t cusolverSp##p##csrcholZeroPivot##host(cusolverSpHandle_t handle, Info info,     \
                                                         R tol, int *position);                    \
  cusolverStatus_t cusolverSp##p##csrcholSolve##host(cusolverSpHandle_t handle, int n, const T *b, \
                                                     T *x, Info info, void *pBuffer);
#define HEDDLE_DECLARE(p, T, R)                                                                    \
  cusolverStatus_t cusolverSp##p##csrluBufferInfoHost(                                             \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,                 \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info,        \
      size_t *internalDataInBytes, size_t *workspaceInBytes);                                      \
  cusolverStatus_t cusolverSp##p##csrluFactorHost(                                                 \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,                 \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info,        \
      R pivot_threshold, void *pBuffer);                                                           \
  cusolverStatus_t cusolverSp##p##csrluZeroPivotHost(cusolverSpHandle_t handle,                    \
                                                     csrluInfoHost_t info, R tol, int *position);  \
  cusolverStatus_t cusolverSp##p##csrluSolveHost(cusolverSpHandle_t handle, int n, const T *b,     \
                                                 T *x, csrluInfoHost_t info, void *pBuffer);       \
  cusolverStatus_t cusolverSp##p##csrluExtractHost(                                                \
      cusolverSpHandle_t handle, int *P, int *Q, const cusparseMatDescr_t descrL, T *csrValL,      \
      int *csrRowPtrL, int *csrColIndL, const cusparseMatDescr_t descrU, T *csrValU,               \
      int *csrRowPtrU, int *csrColIndU, csrluInfoHost_t info, void *pBuffer);                      \
  HEDDLE_DECLARE_QR(p, T, R, Host, csrqrInfoHost_t)                                                \
  HEDDLE_DECLARE_QR(p, T, R, , csrqrInfo_t)                                                        \
  HEDDLE_DECLARE_CHOLESKY(p, T, R, Host, csrcholInfoHost_t)                                        \
  HEDDLE_DECLARE_CHOLESKY(p, T, R, , csrcholInfo_t)                                                \
  cusolverStatus_t cusolverSp##p##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info,       \
                                              R *diag);
HEDDLE_DECLARE(S, float, float)
HEDDLE_DECLARE(D, double, double)
HEDDLE_DECLARE(C, cuComplex, float)
HEDDLE_DECLARE(Z, cuDoubleComplex, double)
#undef HEDDLE_DECLARE
#undef HEDDLE_DECLARE_QR
#undef HEDDLE_DECLARE_CHOLESKY

#if defined(__cplusplus)
}
#endif

#endif
