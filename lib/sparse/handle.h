// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle, and how a call of cuSPARSE becomes work of its stream.
#pragma once

#include "sparse/values.h"
#include "support/stream_work.h"

#include <cusparse.h>

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

/// In front of every function of the library's interface.
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::sparse {

/// Returns `status` from the function that says it if `condition` does not hold.
#define HEDDLE_REQUIRE(condition, status)                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return CUSPARSE_STATUS_##status;                                                             \
  } while (false)

inline cusparseStatus_t statusOf(cudaError_t error) {
  return error == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

inline bool pointersOnDevice(cusparseHandle_t handle) {
  return handle->mode == CUSPARSE_POINTER_MODE_DEVICE;
}

inline Scalar scalar(cusparseHandle_t handle, const void *pointer, cudaDataType type) {
  return Scalar(pointer, pointersOnDevice(handle), type);
}

/// Puts work into the handle's stream.
template <typename F> cusparseStatus_t inStream(cusparseHandle_t handle, F &&work) {
  return statusOf(library::enqueue(handle->stream, std::forward<F>(work)));
}

/// The same, and waits for it: for what the caller gets on the host.
template <typename F> cusparseStatus_t inStreamAndWait(cusparseHandle_t handle, F &&work) {
  cusparseStatus_t status = inStream(handle, std::forward<F>(work));
  return status == CUSPARSE_STATUS_SUCCESS ? statusOf(cudaStreamSynchronize(handle->stream))
                                           : status;
}

/// Puts work into the stream that writes a result through a pointer of the handle's mode: waits for
/// it in host mode.
template <typename F> cusparseStatus_t inStreamForResult(cusparseHandle_t handle, F &&work) {
  return pointersOnDevice(handle) ? inStream(handle, std::forward<F>(work))
                                  : inStreamAndWait(handle, std::forward<F>(work));
}

/// The same for functions that a graph may have: in a stream that is being captured the result comes
/// with each launch of the graph, in host mode too.
template <typename F> cusparseStatus_t inStreamForLaterResult(cusparseHandle_t handle, F &&work) {
  return library::isCaptured(handle->stream) ? inStream(handle, std::forward<F>(work))
                                             : inStreamForResult(handle, std::forward<F>(work));
}

inline bool isOperation(cusparseOperation_t operation) {
  return operation >= CUSPARSE_OPERATION_NON_TRANSPOSE &&
         operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

} // namespace heddle::sparse
