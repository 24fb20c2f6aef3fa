// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuBLAS and cuBLASLt say of statuses and versions.
#pragma once

#include <cublas_api.h>

namespace heddle::blas {

const char *statusName(cublasStatus_t status);
const char *statusText(cublasStatus_t status);
cublasStatus_t versionPart(libraryPropertyType type, int *value);

} // namespace heddle::blas
