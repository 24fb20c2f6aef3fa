// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples' name for the text of a driver API's code (helper_string.h). The two APIs have the same numbers.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

inline const char *getCudaDrvErrorString(CUresult code) { return cudaGetErrorName(static_cast<cudaError_t>(code)); }
