// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles, versions and the logger's switches (cuSOLVER, "cuSolverDN Helper Function Reference").
#include "solver/handle.h"

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value) {
  HEDDLE_REQUIRE(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL, INVALID_VALUE);
  const int parts[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
  *value = parts[type];
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverGetVersion(int *version) {
  HEDDLE_REQUIRE(version, INVALID_VALUE);
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  HEDDLE_REQUIRE(handle, INVALID_VALUE);
  // The first call of the runtime: what is wrong with the device shows here, and whether there is a
  // LAPACK.
  HEDDLE_REQUIRE(cudaFree(nullptr) == cudaSuccess && heddle::lapack::available(), NOT_INITIALIZED);
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle,
                                                   cudaStream_t *stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(stream, INVALID_VALUE);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

// Results are the same in every run in both modes.
HEDDLE_EXPORT cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                              cusolverDeterministicMode_t mode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(mode == CUSOLVER_DETERMINISTIC_RESULTS ||
                     mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS,
                 INVALID_VALUE);
  handle->mode = mode;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                              cusolverDeterministicMode_t *mode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(mode, INVALID_VALUE);
  *mode = handle->mode;
  return CUSOLVER_STATUS_SUCCESS;
}

// The logger writes nothing here, as NVIDIA's does at level 0; its switches are taken and checked.
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerSetFile(FILE *) { return CUSOLVER_STATUS_SUCCESS; }
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerOpenFile(const char *logFile) {
  HEDDLE_REQUIRE(logFile, INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerSetLevel(int level) {
  HEDDLE_REQUIRE(level >= 0 && level <= 5, INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerSetMask(int mask) {
  HEDDLE_REQUIRE(mask >= 0, INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverDnLoggerForceDisable() { return CUSOLVER_STATUS_SUCCESS; }
