// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles and their settings, versions, statuses, the logger (cuBLAS Library, "cuBLAS Helper
// Function Reference").
//
// Settings that choose among a GPU's ways to compute (atomics, math modes, workspaces, numbers of
// multiprocessors) are kept and answered. All ways are as precise as the most precise one here,
// except that none is needed.
#include "blas/handle.h"

#include "blas/logger.h"
#include "blas/openblas.h"
#include "blas/status.h"

#include <cstdio>
#include <new>

using namespace heddle::blas;

#define HEDDLE_EXPORT __attribute__((visibility("default")))

namespace {

/// Stores a setting of the handle behind `out`.
template <typename T> cublasStatus_t get(cublasHandle_t handle, T cublasContext::*member, T *out) {
  if (cublasStatus_t bad = check(handle, out != nullptr))
    return bad;
  *out = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*member, T value, bool valid) {
  if (cublasStatus_t bad = check(handle, valid))
    return bad;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

bool isMathMode(cublasMath_t mode) {
  int kind = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  return kind >= CUBLAS_DEFAULT_MATH && kind <= CUBLAS_TF32_TENSOR_OP_MATH;
}

} // namespace

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (!handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  // A handle belongs to the device that is current, which this makes sure that there is.
  if (cudaFree(nullptr) != cudaSuccess || !openblas::sgemm)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new (std::nothrow) cublasContext;
  log("cublasCreate", *handle);
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  log("cublasDestroy", handle);
  cudaStreamSynchronize(handle->stream);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
  if (!version)
    return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  return versionPart(type, value);
}

HEDDLE_EXPORT size_t cublasGetCudartVersion() { return CUDART_VERSION; }

HEDDLE_EXPORT void cublasXerbla(const char *srName, int info) {
  std::printf(" ** On entry to %s parameter number %d had an illegal value\n", srName, info);
}

HEDDLE_EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                                   size_t workspaceSizeInBytes) {
  // "The user-provided workspace must be aligned to at least 256 bytes." It is not needed here.
  return check(handle, reinterpret_cast<uintptr_t>(workspace) % 256 == 0);
}

HEDDLE_EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream, true);
}
HEDDLE_EXPORT cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
  return get(handle, &cublasContext::stream, stream);
}

HEDDLE_EXPORT cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                                     cublasPointerMode_t mode) {
  return set(handle, &cublasContext::pointerMode, mode,
             mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE);
}
HEDDLE_EXPORT cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                                     cublasPointerMode_t *mode) {
  return get(handle, &cublasContext::pointerMode, mode);
}

HEDDLE_EXPORT cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomicsMode, mode,
             mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED);
}
HEDDLE_EXPORT cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                                  cublasAtomicsMode_t *mode) {
  return get(handle, &cublasContext::atomicsMode, mode);
}

HEDDLE_EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::mathMode, mode, isMathMode(mode));
}
HEDDLE_EXPORT cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode) {
  return get(handle, &cublasContext::mathMode, mode);
}

HEDDLE_EXPORT cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget) {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  return set(handle, &cublasContext::smCountTarget, smCountTarget,
             smCountTarget >= 0 && smCountTarget <= count);
}
HEDDLE_EXPORT cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget) {
  return get(handle, &cublasContext::smCountTarget, smCountTarget);
}

HEDDLE_EXPORT const char *cublasGetStatusName(cublasStatus_t status) { return statusName(status); }
HEDDLE_EXPORT const char *cublasGetStatusString(cublasStatus_t status) {
  return statusText(status);
}

} // extern "C"
