// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's sparse part (cuSOLVER, "cuSolverSP: sparse LAPACK Function Reference"): matrices in
// CSR. For C and C++.
#ifndef HEDDLE_CUSOLVER_SP_H
#define HEDDLE_CUSOLVER_SP_H
#define CUSOLVERSP_H_

#include "cusolver_common.h"
#include "cusparse.h"

struct cusolverSpContext;
typedef struct cusolverSpContext *cusolverSpHandle_t;
struct csrqrInfo;
typedef struct csrqrInfo *csrqrInfo_t;

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream);

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA,
                                         const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                         const int *csrEndPtrA, const int *csrColIndA, int *issym);
cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA,
                                           const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                           const int *csrColIndA, const int64_t *options, int *p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n,
                                                   int nnzA, const cusparseMatDescr_t descrA,
                                                   const int *csrRowPtrA, const int *csrColIndA,
                                                   const int *p, const int *q,
                                                   size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                        const cusparseMatDescr_t descrA, int *csrRowPtrA,
                                        int *csrColIndA, const int *p, const int *q, int *map,
                                        void *pBuffer);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                 const cusparseMatDescr_t descrA,
                                                 const int *csrRowPtrA, const int *csrColIndA,
                                                 csrqrInfo_t info);

#define HEDDLE_DECLARE_SOLVER(p, T, R, name)                                                       \
  cusolverStatus_t cusolverSp##p##name(                                                            \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA,                  \
      const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, \
      T *x, int *singularity);
#define HEDDLE_DECLARE(p, T, R)                                                                    \
  HEDDLE_DECLARE_SOLVER(p, T, R, csrlsvluHost)                                                     \
  HEDDLE_DECLARE_SOLVER(p, T, R, csrlsvqr)                                                         \
  HEDDLE_DECLARE_SOLVER(p, T, R, csrlsvqrHost)                                                     \
  HEDDLE_DECLARE_SOLVER(p, T, R, csrlsvchol)                                                       \
  HEDDLE_DECLARE_SOLVER(p, T, R, csrlsvcholHost)                                                   \
  cusolverStatus_t cusolverSp##p##csrlsqvqrHost(                                                   \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,           \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol,           \
      int *rankA, T *x, int *p, R *min_norm);                                                      \
  cusolverStatus_t cusolverSp##p##csreigvsiHost(                                                   \
      cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, T mu0, const T *x0,          \
      int maxite, R tol, T *mu, T *x);                                                             \
  cusolverStatus_t cusolverSp##p##csreigvsi(                                                       \
      cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, T mu0, const T *x0,          \
      int maxite, R eps, T *mu, T *x);                                                             \
  cusolverStatus_t cusolverSp##p##csrzfdHost(                                                      \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA,                  \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, int *P, int *numnz);         \
  cusolverStatus_t cusolverSp##p##csrqrBufferInfoBatched(                                          \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,           \
      const T *csrVal, const int *csrRowPtr, const int *csrColInd, int batchSize,                  \
      csrqrInfo_t info, size_t *internalDataInBytes, size_t *workspaceInBytes);                    \
  cusolverStatus_t cusolverSp##p##csrqrsvBatched(                                                  \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,           \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, T *x,            \
      int batchSize, csrqrInfo_t info, void *pBuffer);
HEDDLE_DECLARE(S, float, float)
HEDDLE_DECLARE(D, double, double)
HEDDLE_DECLARE(C, cuComplex, float)
HEDDLE_DECLARE(Z, cuDoubleComplex, double)
#undef HEDDLE_DECLARE
#undef HEDDLE_DECLARE_SOLVER

#if defined(__cplusplus)
}
#endif

#endif
