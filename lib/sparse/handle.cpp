// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles, names of statuses, the logger's switches and matrix descriptors (cuSPARSE, "Management
// Functions", "Helper Functions").
#include "sparse/handle.h"

#include <new>

using namespace heddle::sparse;

HEDDLE_EXPORT cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  HEDDLE_REQUIRE(handle, INVALID_VALUE);
  // The first call of the runtime: what is wrong with the device shows here.
  if (cudaFree(nullptr) != cudaSuccess)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(version, INVALID_VALUE);
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value) {
  HEDDLE_REQUIRE(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL, INVALID_VALUE);
  const int parts[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
  *value = parts[type];
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(stream, INVALID_VALUE);
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle,
                                                      cusparsePointerMode_t *mode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(mode, INVALID_VALUE);
  *mode = handle->mode;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle,
                                                      cusparsePointerMode_t mode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE,
                 INVALID_VALUE);
  handle->mode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}

namespace {
struct StatusText {
  const char *name, *text;
};
// In the order of the statuses' values.
constexpr StatusText StatusTexts[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "resource allocation failed"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
constexpr StatusText UnknownStatus = {"unrecognized status", "unrecognized status"};

const StatusText &textOf(cusparseStatus_t status) {
  unsigned index = static_cast<unsigned>(status);
  return index < std::size(StatusTexts) ? StatusTexts[index] : UnknownStatus;
}
} // namespace

HEDDLE_EXPORT const char *cusparseGetErrorName(cusparseStatus_t status) {
  return textOf(status).name;
}
HEDDLE_EXPORT const char *cusparseGetErrorString(cusparseStatus_t status) {
  return textOf(status).text;
}

// The logger writes nothing here, as NVIDIA's does at level 0; its switches are taken and checked.
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t) {
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerSetFile(FILE *) { return CUSPARSE_STATUS_SUCCESS; }
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerOpenFile(const char *logFile) {
  HEDDLE_REQUIRE(logFile, INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerSetLevel(int level) {
  HEDDLE_REQUIRE(level >= 0 && level <= 5, INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerSetMask(int mask) {
  HEDDLE_REQUIRE(mask >= 0, INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseLoggerForceDisable() { return CUSPARSE_STATUS_SUCCESS; }

HEDDLE_EXPORT cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA) {
  HEDDLE_REQUIRE(descrA, INVALID_VALUE);
  *descrA = new cusparseMatDescr;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA) {
  delete descrA;
  return CUSPARSE_STATUS_SUCCESS;
}

/// The setter and the getter of a field whose values go from 0 to `last`.
#define HEDDLE_FIELD(Name, Type, field, last)                                                      \
  HEDDLE_EXPORT cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descrA, Type value) {     \
    HEDDLE_REQUIRE(descrA && value >= 0 && value <= last, INVALID_VALUE);                          \
    descrA->field = value;                                                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT Type cusparseGetMat##Name(const cusparseMatDescr_t descrA) {                       \
    return descrA ? descrA->field : Type();                                                        \
  }
HEDDLE_FIELD(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
HEDDLE_FIELD(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
HEDDLE_FIELD(DiagType, cusparseDiagType_t, diagonal, CUSPARSE_DIAG_TYPE_UNIT)
HEDDLE_FIELD(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)
