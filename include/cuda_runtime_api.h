// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the CUDA 12.8 runtime API, for C and C++. src/runtime/runtime.def says which of
// them are done; the others return cudaErrorNotSupported.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#define CUDART_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"

// --default-stream per-thread: functions that use a stream go to their per-thread twin.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDART_API_PER_THREAD_DEFAULT_STREAM
#include "heddle/per_thread_names.h"
#endif


#if defined(__cplusplus)
extern "C" {
#endif
#include "heddle/runtime_functions.inc"
#if defined(__cplusplus)
}
#endif

#endif
