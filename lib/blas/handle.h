// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle of cuBLAS, and what a function does with it: check its arguments, read its scalars,
// put its work into the stream.
//
//   if (cublasStatus_t bad = check(handle, m >= 0 && lda >= m, {m, lda}))
//     return bad;
//   return submit(handle, [=, alpha = Scalar(handle, alpha)] { ... alpha.get() ... });
#pragma once

#include "blas/element.h"
#include "support/checked_memory.h"
#include "support/stream_work.h"

#include <cublas_api.h>

#include <algorithm>
#include <array>
#include <climits>
#include <initializer_list>
#include <span>
#include <type_traits>

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointerMode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomicsMode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t mathMode = CUBLAS_DEFAULT_MATH;
  int smCountTarget = 0;
};

namespace heddle::blas {

/// A scalar argument: its value where the handle's pointer mode is host, else where it will be when
/// the work runs.
template <typename T> class Scalar {
public:
  Scalar(cublasHandle_t handle, const T *pointer)
      : value(handle->pointerMode == CUBLAS_POINTER_MODE_HOST ? *pointer : T{}),
        device(handle->pointerMode == CUBLAS_POINTER_MODE_HOST ? nullptr : pointer) {}
  explicit Scalar(T value) : value(value), device(nullptr) {}

  T get() const { return device ? *device : value; }

private:
  T value;
  const T *device;
};

/// The status for a call: no handle, an argument that is not `valid`, and `sizes` that OpenBLAS,
/// whose integers have 32 bits, cannot take. CUBLAS_STATUS_SUCCESS, which is 0, if there is nothing
/// to say.
inline cublasStatus_t check(cublasHandle_t handle, bool valid,
                            std::initializer_list<int64_t> sizes = {}) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!valid)
    return CUBLAS_STATUS_INVALID_VALUE;
  bool fit = std::all_of(sizes.begin(), sizes.end(),
                         [](int64_t size) { return size <= INT_MAX && size >= -INT_MAX; });
  return fit ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/// An argument by its place in BLAS's list, which has no handle.
struct Argument {
  int place;
  bool isValid;
};
/// The same for a function that tells on stdout of the first of `arguments` that is not valid, as
/// cuBLAS does (cublasXerbla), unless it has no name there; `rest` it does not tell of.
inline cublasStatus_t check(cublasHandle_t handle, const char *name,
                            std::span<const Argument> arguments, bool rest,
                            std::initializer_list<int64_t> sizes) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  for (const Argument &argument : arguments)
    if (!argument.isValid) {
      if (name)
        cublasXerbla(name, argument.place);
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  return check(handle, rest, sizes);
}
/// One of the names that a function has for the four types.
template <typename T> const char *nameOf(const std::array<const char *, 4> &names) {
  return names[2 * IsComplex<T> + std::is_same_v<Real<T>, double>];
}

inline bool isLeading(int64_t ld, int64_t rows) { return ld >= std::max<int64_t>(1, rows); }
/// A result may be null if it has no elements.
inline bool isThere(const void *C, int64_t rows, int64_t columns) {
  return C || rows == 0 || columns == 0;
}
inline bool isOperation(cublasOperation_t op) {
  return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
inline bool isTriangle(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}
inline bool isDiagonal(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}
inline bool isSide(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

/// Puts work into the handle's stream. `memory`: library::toTell.
template <typename F>
cublasStatus_t submit(cublasHandle_t handle, F &&work,
                      std::vector<library::MemoryRows> memory = {}) {
  cudaError_t error = library::enqueue(handle->stream, std::forward<F>(work), std::move(memory));
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The same for work on this memory.
template <typename F>
cublasStatus_t submit(cublasHandle_t handle, std::initializer_list<library::MemoryRows> memory,
                      F &&work) {
  return library::mayAccess(memory) ? submit(handle, std::forward<F>(work), library::toTell(memory))
                                    : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// A result of work: memory only where the pointer mode says so.
template <typename T> library::MemoryRows resultRows(cublasHandle_t handle, const T *result) {
  int64_t bytes = handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE ? sizeof(T) : 0;
  return library::written({result, bytes, bytes, 1});
}

/// The same for work that writes a result where the pointer mode says: with host pointers it is
/// there on return.
template <typename F>
cublasStatus_t submitResult(cublasHandle_t handle,
                            std::initializer_list<library::MemoryRows> memory, F &&work) {
  cublasStatus_t status = submit(handle, memory, std::forward<F>(work));
  if (status != CUBLAS_STATUS_SUCCESS || handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE)
    return status;
  cudaError_t error = cudaStreamSynchronize(handle->stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <typename F> cublasStatus_t submitResult(cublasHandle_t handle, F &&work) {
  return submitResult(handle, {}, std::forward<F>(work));
}

/// Work on scalars alone, which with host pointers is done at once and waits for nothing.
template <typename F> cublasStatus_t submitScalars(cublasHandle_t handle, F &&work) {
  if (handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE)
    return submit(handle, std::forward<F>(work));
  work();
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace heddle::blas
