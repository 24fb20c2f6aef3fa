// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasXt: what it divides among GPUs is one call of cuBLAS on all cores here, which the host
// waits for. The block size, the mode of pinning and the share of the CPU's own routine are kept,
// and change nothing.
#include "blas/arguments.h"
#include "blas/handle.h"
#include "blas/openblas.h"

#include <cublasXt.h>

#include <new>
#include <set>
#include <vector>

struct cublasXtContext {
  cublasHandle_t blas = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<int> devices;
  int blockDim = 1024; // "cublasXtSetBlockDim": the default
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

namespace heddle::blas {

namespace {

bool areDevices(int count, const int *devices) {
  int there = 0;
  if (count < 1 || !devices || cudaGetDeviceCount(&there) != cudaSuccess)
    return false;
  return std::all_of(devices, devices + count,
                     [&](int device) { return device >= 0 && device < there; });
}

/// Makes the handle of cuBLAS on the first device that was selected.
cublasStatus_t open(cublasXtContext &context) {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(context.devices[0]) != cudaSuccess)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = cublasCreate_v2(&context.blas);
  if (status == CUBLAS_STATUS_SUCCESS && cudaStreamCreate(&context.stream) != cudaSuccess)
    status = CUBLAS_STATUS_ALLOC_FAILED;
  if (status == CUBLAS_STATUS_SUCCESS)
    cublasSetStream_v2(context.blas, context.stream);
  cudaSetDevice(before);
  return status;
}

void close(cublasXtContext &context) {
  if (context.blas)
    cublasDestroy_v2(context.blas);
  if (context.stream)
    cudaStreamDestroy(context.stream);
  context.blas = nullptr, context.stream = nullptr;
}

/// Runs a function of cuBLAS and waits for it.
template <typename F> cublasStatus_t run(cublasXtHandle_t handle, F function) {
  if (!handle || !handle->blas)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (cublasStatus_t bad = function(handle->blas))
    return bad;
  return cudaStreamSynchronize(handle->stream) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The matrix of a packed triangle; the other one's elements are not set.
template <typename T> std::vector<T> unpack(cublasFillMode_t uplo, int64_t n, const T *packed) {
  std::vector<T> matrix(n * n);
  bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  for (int64_t j = 0; j < n; ++j) {
    int64_t first = lower ? j : 0, count = lower ? n - j : j + 1;
    std::copy_n(packed, count, matrix.data() + first + j * n);
    packed += count;
  }
  return matrix;
}

/// C = alpha A B + beta C or alpha B A + beta C, where A is symmetric and packed.
template <typename T>
cublasStatus_t spmm(cublasHandle_t blas, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                    int64_t n, const T *alpha, const T *packed, const T *B, int64_t ldb,
                    const T *beta, T *C, int64_t ldc) {
  bool valid = isSide(side) && isTriangle(uplo) && m >= 0 && n >= 0 && isLeading(ldb, m) &&
               isLeading(ldc, m) && alpha && beta;
  if (cublasStatus_t bad = check(blas, valid, {m, n, ldb, ldc}))
    return bad;
  const T a = *alpha, b = *beta;
  return submit(blas, [=] {
    int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    std::vector<T> A = unpack(uplo, order, packed);
    HEDDLE_BLAS(T, symm)(CblasColMajor, sideOf(side), triangleOf(uplo), m, n, pass(a), A.data(),
                         std::max<int64_t>(1, order), B, ldb, pass(b), C, ldc);
  });
}

/// A routine that a ratio or a function can be set for.
cublasStatus_t checkRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t operation,
                            cublasXtOpType_t type) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  bool valid = operation >= CUBLASXT_GEMM && operation < CUBLASXT_ROUTINE_MAX &&
               type >= CUBLASXT_FLOAT && type <= CUBLASXT_DOUBLECOMPLEX;
  return valid ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;

#define HEDDLE_EXPORT __attribute__((visibility("default")))

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle) {
  if (!handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new (std::nothrow) cublasXtContext;
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  close(*handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards) {
  if (!boards || !areDevices(count, devices))
    return CUBLAS_STATUS_INVALID_VALUE;
  *boards = static_cast<int>(std::set<int>(devices, devices + count).size());
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtMaxBoards(int *boards) {
  if (!boards || cudaGetDeviceCount(boards) != cudaSuccess)
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count,
                                                  int devices[]) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!areDevices(count, devices))
    return CUBLAS_STATUS_INVALID_VALUE;
  close(*handle);
  handle->devices.assign(devices, devices + count);
  return open(*handle);
}

HEDDLE_EXPORT cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (blockDim <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  handle->blockDim = blockDim;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!blockDim)
    return CUBLAS_STATUS_INVALID_VALUE;
  *blockDim = handle->blockDim;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle,
                                                       cublasXtPinnedMemMode_t mode) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (mode != CUBLASXT_PINNING_DISABLED && mode != CUBLASXT_PINNING_ENABLED)
    return CUBLAS_STATUS_INVALID_VALUE;
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle,
                                                       cublasXtPinnedMemMode_t *mode) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!mode)
    return CUBLAS_STATUS_INVALID_VALUE;
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle,
                                                   cublasXtBlasOp_t operation,
                                                   cublasXtOpType_t type, void *) {
  return checkRoutine(handle, operation, type);
}

HEDDLE_EXPORT cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle,
                                                 cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                                 float ratio) {
  if (cublasStatus_t bad = checkRoutine(handle, operation, type))
    return bad;
  return ratio >= 0 && ratio <= 1 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

#define HEDDLE_CUBLASXT(function, name, parameters, arguments)                                     \
  HEDDLE_EXPORT cublasStatus_t name parameters {                                                   \
    return run(handle, [&](cublasHandle_t blas) { return function arguments; });                   \
  }
#include "heddle/cublas/xt.inc"
#undef HEDDLE_CUBLASXT
}
