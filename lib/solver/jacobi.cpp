// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of the functions of Jacobi's method (cuSOLVER, "cusolverDnCreateSyevjInfo()" and those
// behind).
#include "solver/jacobi.h"

#include "solver/handle.h"

#include <limits>

using namespace heddle::solver;

namespace {

/// What has been found of the last problem is known when the stream is done with it.
template <typename V, typename F>
cusolverStatus_t tellResult(cusolverDnHandle_t handle, JacobiSettings *info, V *value, F &&f) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && value, INVALID_VALUE);
  cusolverStatus_t status = statusOf(cudaStreamSynchronize(handle->stream));
  if (status == CUSOLVER_STATUS_SUCCESS)
    *value = f();
  return status;
}

} // namespace

#define HEDDLE_JACOBI(Name, name)                                                                  \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info) {                \
    HEDDLE_REQUIRE(info, INVALID_VALUE);                                                           \
    *info = new name##Info;                                                                        \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info) {                \
    delete info;                                                                                   \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info,                \
                                                                 double tolerance) {               \
    HEDDLE_REQUIRE(info && tolerance >= 0, INVALID_VALUE);                                         \
    info->tolerance = tolerance;                                                                   \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int sweeps) {  \
    HEDDLE_REQUIRE(info && sweeps >= 0, INVALID_VALUE);                                            \
    info->maxSweeps = sweeps;                                                                      \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort) {      \
    HEDDLE_REQUIRE(info, INVALID_VALUE);                                                           \
    info->sorted = sort != 0;                                                                      \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle,           \
                                                              name##Info_t info, int *sweeps) {    \
    return tellResult(handle, info, sweeps, [&] { return info->result->sweeps; });                 \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDnX##name##GetResidual(                                   \
      cusolverDnHandle_t handle, name##Info_t info, double *residual) {                            \
    return tellResult(handle, info, residual, [&] { return info->result->residual; });             \
  }
HEDDLE_JACOBI(Syevj, syevj)
HEDDLE_JACOBI(Gesvdj, gesvdj)
