// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's first interface (cuBLAS Library, "Using the cuBLAS Legacy API"), for programs that have
// not changed to cublas_v2.h. For C and C++.
#ifndef HEDDLE_CUBLAS_H
#define HEDDLE_CUBLAS_H
#define CUBLAS_H_

#ifdef HEDDLE_CUBLAS_V2_H
#error "cublas.h and cublas_v2.h cannot be included together"
#endif

#include "cublas_api.h"

#define cublasStatus cublasStatus_t

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t CUBLASWINAPI cublasInit(void);
cublasStatus_t CUBLASWINAPI cublasShutdown(void);
cublasStatus_t CUBLASWINAPI cublasGetError(void);
cublasStatus_t CUBLASWINAPI cublasGetVersion(int *version);
cublasStatus_t CUBLASWINAPI cublasAlloc(int n, int elemSize, void **devicePtr);
cublasStatus_t CUBLASWINAPI cublasFree(void *devicePtr);
cublasStatus_t CUBLASWINAPI cublasSetKernelStream(cudaStream_t stream);

#define HEDDLE_CUBLAS_RETURNS(type, name, parameters, arguments) type CUBLASWINAPI name parameters;
#define HEDDLE_CUBLAS(name, parameters, arguments) void CUBLASWINAPI name parameters;
#include "heddle/cublas/legacy.inc"
#undef HEDDLE_CUBLAS
#undef HEDDLE_CUBLAS_RETURNS

#ifdef __cplusplus
}
#endif

#endif
