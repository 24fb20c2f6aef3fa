// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuBLASLt's table says is not supported.
#include "support/unsupported.h"

#define HEDDLE_FUNCTION(group, name, state)                                                        \
  HEDDLE_LIBRARY_##state(name, 15) // CUBLAS_STATUS_NOT_SUPPORTED
#include "blas/cublasLt.def"
