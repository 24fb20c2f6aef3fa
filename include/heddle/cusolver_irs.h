// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's solvers with iterative refinement: a factorisation in a lower precision, and residuals
// in the higher one until the solution is as good as the higher one's. The first letter names the
// precision of the matrices, the second that of the factorisation.
#ifndef HEDDLE_CUSOLVER_IRS_H
#define HEDDLE_CUSOLVER_IRS_H

#if defined(__cplusplus)
extern "C" {
#endif

#define HEDDLE_DECLARE(pq, T)                                                                      \
  cusolverStatus_t cusolverDn##pq##gesv_bufferSize(                                                \
      cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T *dA,                     \
      cusolver_int_t ldda, cusolver_int_t *dipiv, T *dB, cusolver_int_t lddb, T *dX,               \
      cusolver_int_t lddx, void *dWorkspace, size_t *lwork_bytes);                                 \
  cusolverStatus_t cusolverDn##pq##gesv(                                                           \
      cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T *dA,                     \
      cusolver_int_t ldda, cusolver_int_t *dipiv, T *dB, cusolver_int_t lddb, T *dX,               \
      cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes, cusolver_int_t *iter,             \
      cusolver_int_t *d_info);                                                                     \
  cusolverStatus_t cusolverDn##pq##gels_bufferSize(                                                \
      cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T *dA,   \
      cusolver_int_t ldda, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx,                 \
      void *dWorkspace, size_t *lwork_bytes);                                                      \
  cusolverStatus_t cusolverDn##pq##gels(                                                           \
      cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T *dA,   \
      cusolver_int_t ldda, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx,                 \
      void *dWorkspace, size_t lwork_bytes, cusolver_int_t *iter, cusolver_int_t *d_info);
HEDDLE_DECLARE(ZZ, cuDoubleComplex)
HEDDLE_DECLARE(ZC, cuDoubleComplex)
HEDDLE_DECLARE(ZK, cuDoubleComplex)
HEDDLE_DECLARE(ZE, cuDoubleComplex)
HEDDLE_DECLARE(ZY, cuDoubleComplex)
HEDDLE_DECLARE(CC, cuComplex)
HEDDLE_DECLARE(CK, cuComplex)
HEDDLE_DECLARE(CE, cuComplex)
HEDDLE_DECLARE(CY, cuComplex)
HEDDLE_DECLARE(DD, double)
HEDDLE_DECLARE(DS, double)
HEDDLE_DECLARE(DH, double)
HEDDLE_DECLARE(DB, double)
HEDDLE_DECLARE(DX, double)
HEDDLE_DECLARE(SS, float)
HEDDLE_DECLARE(SH, float)
HEDDLE_DECLARE(SB, float)
HEDDLE_DECLARE(SX, float)
#undef HEDDLE_DECLARE

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params);
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
                                                        cusolverIRSRefinement_t solver);
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
                                                           cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                                             cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
                                                        cusolverPrecType_t mainPrecision,
                                                        cusolverPrecType_t lowestPrecision);
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params,
                                                cusolver_int_t iterations);
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params,
                                                     cusolver_int_t iterations);
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params,
                                                cusolver_int_t *iterations);
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos);
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos,
                                             cusolver_int_t *iterations);
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos,
                                                  cusolver_int_t *iterations);
cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos,
                                               cusolver_int_t *iterations);
cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void **history);
cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t n,
                                               cusolver_int_t nrhs, size_t *lwork_bytes);
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                    cusolverDnIRSInfos_t infos, cusolver_int_t n,
                                    cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB,
                                    cusolver_int_t lddb, void *dX, cusolver_int_t lddx,
                                    void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters,
                                    cusolver_int_t *d_info);
cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t m,
                                               cusolver_int_t n, cusolver_int_t nrhs,
                                               size_t *lwork_bytes);
cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                    cusolverDnIRSInfos_t infos, cusolver_int_t m, cusolver_int_t n,
                                    cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB,
                                    cusolver_int_t lddb, void *dX, cusolver_int_t lddx,
                                    void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters,
                                    cusolver_int_t *d_info);

#if defined(__cplusplus)
}
#endif

#endif
