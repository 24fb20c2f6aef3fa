// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logger of cuBLASLt (cuBLAS Library, "cublasLt Logging"): lines on calls go to a callback and
// a file, as the program or the environment wants (CUBLASLT_LOG_LEVEL, CUBLASLT_LOG_MASK,
// CUBLASLT_LOG_FILE).
#pragma once

#include <cublasLt.h>

namespace heddle::blas {

/// Says, if somebody wants to know, that a function that puts work into a stream was called, and
/// with what status it ends. Returns the status.
cublasStatus_t logged(const char *function, cublasStatus_t status);

} // namespace heddle::blas
