// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's dense functions of 64-bit sizes, whose types are arguments. Workspaces' sizes are in
// bytes.
#ifndef HEDDLE_CUSOLVER_X_H
#define HEDDLE_CUSOLVER_X_H

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo);

// The arguments of workspaces: asked for, and handed over.
#define HEDDLE_SIZES size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost
#define HEDDLE_BUFFERS                                                                             \
  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,                       \
      size_t workspaceInBytesOnHost
#define HEDDLE_HANDLES cusolverDnHandle_t handle, cusolverDnParams_t params

cusolverStatus_t cusolverDnXpotrf_bufferSize(HEDDLE_HANDLES, cublasFillMode_t uplo, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXpotrf(HEDDLE_HANDLES, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType computeType, HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXpotrs(HEDDLE_HANDLES, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(HEDDLE_HANDLES, int64_t m, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType dataTypeTau, const void *tau,
                                             cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgeqrf(HEDDLE_HANDLES, int64_t m, int64_t n, cudaDataType dataTypeA,
                                  void *A, int64_t lda, cudaDataType dataTypeTau, void *tau,
                                  cudaDataType computeType, HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(HEDDLE_HANDLES, int64_t m, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgetrf(HEDDLE_HANDLES, int64_t m, int64_t n, cudaDataType dataTypeA,
                                  void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
                                  HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXgetrs(HEDDLE_HANDLES, cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  int *info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                             cublasFillMode_t uplo, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType dataTypeW, const void *W,
                                             cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXsyevd(HEDDLE_HANDLES, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeW, void *W, cudaDataType computeType,
                                  HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                                   cublasFillMode_t uplo, int64_t n,
                                                   cudaDataType dataTypeA, const void *A,
                                                   int64_t lda, cudaDataType dataTypeW,
                                                   const void *W, cudaDataType computeType,
                                                   HEDDLE_SIZES, int64_t batchSize);
cusolverStatus_t cusolverDnXsyevBatched(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                                        void *A, int64_t lda, cudaDataType dataTypeW, void *W,
                                        cudaDataType computeType, HEDDLE_BUFFERS, int *info,
                                        int64_t batchSize);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobz,
                                              cusolverEigRange_t range, cublasFillMode_t uplo,
                                              int64_t n, cudaDataType dataTypeA, const void *A,
                                              int64_t lda, void *vl, void *vu, int64_t il,
                                              int64_t iu, int64_t *h_meig, cudaDataType dataTypeW,
                                              const void *W, cudaDataType computeType,
                                              HEDDLE_SIZES);
cusolverStatus_t cusolverDnXsyevdx(HEDDLE_HANDLES, cusolverEigMode_t jobz, cusolverEigRange_t range,
                                   cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                                   void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                                   int64_t *meig64, cudaDataType dataTypeW, void *W,
                                   cudaDataType computeType, HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXgeev_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobvl,
                                            cusolverEigMode_t jobvr, int64_t n,
                                            cudaDataType dataTypeA, const void *A, int64_t lda,
                                            cudaDataType dataTypeW, const void *W,
                                            cudaDataType dataTypeVL, const void *VL, int64_t ldvl,
                                            cudaDataType dataTypeVR, const void *VR, int64_t ldvr,
                                            cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgeev(HEDDLE_HANDLES, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
                                 int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                 cudaDataType dataTypeW, void *W, cudaDataType dataTypeVL, void *VL,
                                 int64_t ldvl, cudaDataType dataTypeVR, void *VR, int64_t ldvr,
                                 cudaDataType computeType, HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(HEDDLE_HANDLES, signed char jobu, signed char jobvt,
                                             int64_t m, int64_t n, cudaDataType dataTypeA,
                                             const void *A, int64_t lda, cudaDataType dataTypeS,
                                             const void *S, cudaDataType dataTypeU, const void *U,
                                             int64_t ldu, cudaDataType dataTypeVT, const void *VT,
                                             int64_t ldvt, cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgesvd(HEDDLE_HANDLES, signed char jobu, signed char jobvt, int64_t m,
                                  int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U,
                                  int64_t ldu, cudaDataType dataTypeVT, void *VT, int64_t ldvt,
                                  cudaDataType computeType, HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(HEDDLE_HANDLES, cusolverEigMode_t jobz, int econ,
                                              int64_t m, int64_t n, cudaDataType dataTypeA,
                                              const void *A, int64_t lda, cudaDataType dataTypeS,
                                              const void *S, cudaDataType dataTypeU, const void *U,
                                              int64_t ldu, cudaDataType dataTypeV, const void *V,
                                              int64_t ldv, cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgesvdp(HEDDLE_HANDLES, cusolverEigMode_t jobz, int econ, int64_t m,
                                   int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                   cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U,
                                   int64_t ldu, cudaDataType dataTypeV, void *V, int64_t ldv,
                                   cudaDataType computeType, HEDDLE_BUFFERS, int *info,
                                   double *h_err_sigma);
cusolverStatus_t cusolverDnXgesvdr_bufferSize(
    HEDDLE_HANDLES, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
    int64_t niters, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeSrand,
    const void *Srand, cudaDataType dataTypeUrand, const void *Urand, int64_t ldUrand,
    cudaDataType dataTypeVrand, const void *Vrand, int64_t ldVrand, cudaDataType computeType,
    HEDDLE_SIZES);
cusolverStatus_t cusolverDnXgesvdr(HEDDLE_HANDLES, signed char jobu, signed char jobv, int64_t m,
                                   int64_t n, int64_t k, int64_t p, int64_t niters,
                                   cudaDataType dataTypeA, void *A, int64_t lda,
                                   cudaDataType dataTypeSrand, void *Srand,
                                   cudaDataType dataTypeUrand, void *Urand, int64_t ldUrand,
                                   cudaDataType dataTypeVrand, void *Vrand, int64_t ldVrand,
                                   cudaDataType computeType, HEDDLE_BUFFERS, int *d_info);
cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             int64_t n, int64_t nrhs, cudaDataType dataTypeA,
                                             const void *A, int64_t lda, const int64_t *ipiv,
                                             cudaDataType dataTypeB, void *B, int64_t ldb,
                                             HEDDLE_SIZES);
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n,
                                  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  HEDDLE_BUFFERS, int *info);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             cublasDiagType_t diag, int64_t n,
                                             cudaDataType dataTypeA, void *A, int64_t lda,
                                             HEDDLE_SIZES);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                  cublasDiagType_t diag, int64_t n, cudaDataType dataTypeA, void *A,
                                  int64_t lda, HEDDLE_BUFFERS, int *devInfo);
cusolverStatus_t cusolverDnXlarft_bufferSize(HEDDLE_HANDLES, cusolverDirectMode_t direct,
                                             cusolverStorevMode_t storev, int64_t n, int64_t k,
                                             cudaDataType dataTypeV, const void *V, int64_t ldv,
                                             cudaDataType dataTypeTau, const void *tau,
                                             cudaDataType dataTypeT, void *T, int64_t ldt,
                                             cudaDataType computeType, HEDDLE_SIZES);
cusolverStatus_t cusolverDnXlarft(HEDDLE_HANDLES, cusolverDirectMode_t direct,
                                  cusolverStorevMode_t storev, int64_t n, int64_t k,
                                  cudaDataType dataTypeV, const void *V, int64_t ldv,
                                  cudaDataType dataTypeTau, const void *tau, cudaDataType dataTypeT,
                                  void *T, int64_t ldt, cudaDataType computeType, HEDDLE_BUFFERS);

#undef HEDDLE_SIZES
#undef HEDDLE_BUFFERS
#undef HEDDLE_HANDLES

#if defined(__cplusplus)
}
#endif

#endif
