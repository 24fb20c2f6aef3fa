// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's first interface: one handle for the process, from cublasInit to cublasShutdown, and an
// error that the next cublasGetError returns and forgets. A program calls it from one thread, as
// documented. Fortran programs count on nvfortran's module making the handle, so for them
// functions that compute make it if it is not there.
#include <cublas.h>

#define HEDDLE_EXPORT __attribute__((visibility("default")))

namespace {

cublasHandle_t h = nullptr;
cublasStatus_t lastError = CUBLAS_STATUS_SUCCESS;
bool isFortran = false;

void keep(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    lastError = status;
}

void begin() {
  if (isFortran)
    keep(cublasInit());
}

/// A letter that means nothing becomes an enumerator that means nothing.
cublasOperation_t operationOf(char letter) {
  switch (letter | 0x20) {
  case 'n':
    return CUBLAS_OP_N;
  case 't':
    return CUBLAS_OP_T;
  case 'c':
    return CUBLAS_OP_C;
  }
  return static_cast<cublasOperation_t>(-1);
}
cublasFillMode_t fillOf(char letter) {
  if ((letter | 0x20) == 'l')
    return CUBLAS_FILL_MODE_LOWER;
  return (letter | 0x20) == 'u' ? CUBLAS_FILL_MODE_UPPER : static_cast<cublasFillMode_t>(-1);
}
cublasSideMode_t sideOf(char letter) {
  if ((letter | 0x20) == 'l')
    return CUBLAS_SIDE_LEFT;
  return (letter | 0x20) == 'r' ? CUBLAS_SIDE_RIGHT : static_cast<cublasSideMode_t>(-1);
}
cublasDiagType_t diagOf(char letter) {
  if ((letter | 0x20) == 'u')
    return CUBLAS_DIAG_UNIT;
  return (letter | 0x20) == 'n' ? CUBLAS_DIAG_NON_UNIT : static_cast<cublasDiagType_t>(-1);
}

} // namespace

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasInit() {
  return h ? CUBLAS_STATUS_SUCCESS : cublasCreate_v2(&h);
}

HEDDLE_EXPORT cublasStatus_t cublasShutdown() {
  cublasStatus_t status = cublasDestroy_v2(h);
  h = nullptr;
  return status;
}

HEDDLE_EXPORT cublasStatus_t cublasGetError() {
  cublasStatus_t status = lastError;
  lastError = CUBLAS_STATUS_SUCCESS;
  return status;
}

HEDDLE_EXPORT cublasStatus_t cublasGetVersion(int *version) {
  return h ? cublasGetVersion_v2(h, version) : CUBLAS_STATUS_NOT_INITIALIZED;
}

HEDDLE_EXPORT cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr) {
  if (!h)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0 || elemSize <= 0 || !devicePtr)
    return CUBLAS_STATUS_INVALID_VALUE;
  bool done = cudaMalloc(devicePtr, static_cast<size_t>(n) * elemSize) == cudaSuccess;
  return done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cublasStatus_t cublasFree(void *devicePtr) {
  if (!h)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  return cudaFree(devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}

HEDDLE_EXPORT cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream_v2(h, stream);
}

/// Called where a Fortran program begins (lib/fortran/memory.cpp).
HEDDLE_EXPORT void heddle_make_cublas_handle() { isFortran = true; }

#define HEDDLE_OP operationOf
#define HEDDLE_FILL fillOf
#define HEDDLE_SIDE sideOf
#define HEDDLE_DIAG diagOf
#define HEDDLE_CUBLAS_RETURNS(type, name, parameters, arguments)                                   \
  HEDDLE_EXPORT type name parameters {                                                             \
    type result{};                                                                                 \
    begin();                                                                                       \
    keep(name##_v2 arguments);                                                                     \
    return result;                                                                                 \
  }
#define HEDDLE_CUBLAS(name, parameters, arguments)                                                 \
  HEDDLE_EXPORT void name parameters {                                                             \
    begin();                                                                                       \
    keep(name##_v2 arguments);                                                                     \
  }
#include "heddle/cublas/legacy.inc"

} // extern "C"
