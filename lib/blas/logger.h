// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logger of cuBLAS (cuBLAS Library, "cublasLoggerConfigure"): lines on calls go to a callback,
// a file, stdout or stderr, as the program or the environment wants (CUBLAS_LOGINFO_DBG=1 with
// CUBLAS_LOGDEST_DBG=stdout, stderr or a file's name).
#pragma once

namespace heddle::blas {

/// Says, if somebody wants to know, that a function was called with a handle.
void log(const char *function, const void *handle);

} // namespace heddle::blas
