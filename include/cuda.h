// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API of CUDA 12.8 or 13.0 (heddle/cuda_version.h), for C and C++. Where a function has
// versions, its plain name is a macro for the one of that CUDA.
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H
#define __cuda_cuda_h__

#include <stdlib.h>

#include "heddle/driver_types.h"

#include "heddle/driver_names.inc"

#if defined(__cplusplus)
extern "C" {
#endif
#include "heddle/driver_functions.inc"
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
/// Of a program whose default streams are the threads' own, the twins are asked for, unless it says
/// which it wants.
static inline CUresult cuGetProcAddress_v2_ptsz(const char *symbol, void **function, int version,
                                                cuuint64_t flags,
                                                CUdriverProcAddressQueryResult *status) {
  if (flags == CU_GET_PROC_ADDRESS_DEFAULT)
    flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  return cuGetProcAddress_v2(symbol, function, version, flags, status);
}
#define cuGetProcAddress_v2 cuGetProcAddress_v2_ptsz
#endif
#if defined(__cplusplus)
}
#endif

#endif
