// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's multi-GPU part (cuSOLVER, "cuSolverMG API Reference"): matrices whose blocks of
// columns go around the devices of one process. The host waits for each function. For C and C++.
#ifndef HEDDLE_CUSOLVER_MG_H
#define HEDDLE_CUSOLVER_MG_H
#define CUSOLVERMG_H_

#include <stdint.h>

#include "cublas_api.h"
#include "cusolver_common.h"

struct cusolverMgContext;
typedef struct cusolverMgContext *cusolverMgHandle_t;
typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;

typedef enum {
  CUDALIBMG_GRID_MAPPING_COL_MAJOR = 0,
  CUDALIBMG_GRID_MAPPING_ROW_MAJOR = 1
} cusolverMgGridMapping_t;

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle);
cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle);
cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[]);
cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices,
                                            int32_t numColDevices, const int32_t deviceId[],
                                            cusolverMgGridMapping_t mapping);
cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows,
                                            int64_t numCols, int64_t rowBlockSize,
                                            int64_t colBlockSize, cudaDataType dataType,
                                            const cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc);

cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                            cublasFillMode_t uplo, int N, void *array_d_A[], int IA,
                                            int JA, cudaLibMgMatrixDesc_t descrA, void *W,
                                            cudaDataType dataTypeW, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                 cublasFillMode_t uplo, int N, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, void *W, cudaDataType dataTypeW,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void *array_d_A[], int IA,
                                 int JA, cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS,
                                            int N, int NRHS, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            void *array_d_B[], int IB, int JB,
                                            cudaLibMgMatrixDesc_t descrB, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N,
                                 int NRHS, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            int NRHS, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, void *array_d_B[], int IB,
                                            int JB, cudaLibMgMatrixDesc_t descrB,
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, int NRHS,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);

#if defined(__cplusplus)
}
#endif

#endif
