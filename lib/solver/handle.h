// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle of cuSOLVER's dense part, and how a call becomes work of its stream.
//
// LAPACK's routines take memory to work in from the heap when they run, not from the caller's
// workspace: how much they want depends on blocks and threads that are chosen then. The functions
// that tell a workspace's size say one element.
#pragma once

#include "lapack/lapack.h"
#include "support/parallel.h"
#include "support/stream_work.h"

#include <cusolverDn.h>

#include <algorithm>

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
  cusolverDeterministicMode_t mode = CUSOLVER_DETERMINISTIC_RESULTS;
};

/// In front of every function of the library's interface.
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::solver {

using namespace lapack;

/// Returns `status` from the function that says it if `condition` does not hold.
#define HEDDLE_REQUIRE(condition, status)                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return CUSOLVER_STATUS_##status;                                                             \
  } while (false)

inline cusolverStatus_t statusOf(cudaError_t error) {
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

/// What a function is given, for `heddle check`: a matrix of columns, numbers side by side.
template <typename T>
library::MemoryRows matrixOf(const T *a, int64_t rows, int64_t columns, int64_t leading) {
  return library::columnsOf(a, rows, columns, leading, sizeof(T));
}
template <typename T> library::MemoryRows numbersOf(const T *first, int64_t n) {
  return matrixOf(first, first ? n : 0, 1, n);
}

/// Puts work into a stream.
template <typename H, typename F> cusolverStatus_t inStream(H handle, F &&work) {
  return statusOf(library::enqueue(handle->stream, std::forward<F>(work)));
}

/// The same, and waits for it: for what the caller gets on the host.
template <typename H, typename F> cusolverStatus_t inStreamAndWait(H handle, F &&work) {
  cusolverStatus_t status = inStream(handle, std::forward<F>(work));
  return status == CUSOLVER_STATUS_SUCCESS ? statusOf(cudaStreamSynchronize(handle->stream))
                                           : status;
}

/// Puts work into the stream that returns LAPACK's info, which goes to `devInfo` if the caller
/// wants it. `memory`: what else the work is given.
template <typename H, typename F>
cusolverStatus_t inStreamWithInfo(H handle, int *devInfo,
                                  std::initializer_list<library::MemoryRows> memory, F work) {
  HEDDLE_REQUIRE(library::mayAccess(memory) && library::mayAccess({numbersOf(devInfo, 1)}),
                 EXECUTION_FAILED);
  return inStream(handle, [work, devInfo]() mutable {
    int info = work();
    if (devInfo)
      *devInfo = info;
  });
}

/// Elements as std::complex, which is how LAPACK's header and our loops have them.
inline float *native(float *p) { return p; }
inline double *native(double *p) { return p; }
inline ComplexFloat *native(cuComplex *p) { return reinterpret_cast<ComplexFloat *>(p); }
inline ComplexDouble *native(cuDoubleComplex *p) { return reinterpret_cast<ComplexDouble *>(p); }
inline const float *native(const float *p) { return p; }
inline const double *native(const double *p) { return p; }
inline const ComplexFloat *native(const cuComplex *p) {
  return reinterpret_cast<const ComplexFloat *>(p);
}
inline const ComplexDouble *native(const cuDoubleComplex *p) {
  return reinterpret_cast<const ComplexDouble *>(p);
}

/// LAPACK's letters.
inline char letter(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }
inline char letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter(cublasDiagType_t diagonal) { return diagonal == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }
inline char letter(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? 'N' : operation == CUBLAS_OP_T ? 'T' : 'C';
}
inline char letter(cusolverEigMode_t mode) { return mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

inline bool isFill(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}
inline bool isSide(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
inline bool isOperation(cublasOperation_t operation) {
  return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C;
}
inline bool isMode(cusolverEigMode_t mode) {
  return mode == CUSOLVER_EIG_MODE_VECTOR || mode == CUSOLVER_EIG_MODE_NOVECTOR;
}
/// A matrix by columns of so many rows may have this leading dimension.
inline bool isLeading(int ld, int rows) { return ld >= std::max(1, rows); }

/// The answer of all functions that tell the size of a workspace.
template <typename H> cusolverStatus_t tellWorkspace(H handle, bool valid, int *lwork) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && lwork, INVALID_VALUE);
  *lwork = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace heddle::solver
