// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/status.h"

namespace heddle::blas {

const char *statusName(cublasStatus_t status) {
  switch (status) {
#define HEDDLE_STATUS(name, text)                                                                  \
  case name:                                                                                       \
    return #name;
#include "blas/statuses.def"
  }
  return "CUBLAS_STATUS_UNKNOWN";
}

const char *statusText(cublasStatus_t status) {
  switch (status) {
#define HEDDLE_STATUS(name, text)                                                                  \
  case name:                                                                                       \
    return text;
#include "blas/statuses.def"
  }
  return "unknown error";
}

cublasStatus_t versionPart(libraryPropertyType type, int *value) {
  constexpr int Parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
    return CUBLAS_STATUS_INVALID_VALUE;
  *value = Parts[type];
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace heddle::blas
