// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the runtime API of CUDA 12.8 or 13.0 (heddle/cuda_version.h), for C and C++.
// src/runtime/runtime.def says which of them are done; the others return cudaErrorNotSupported.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "heddle/cuda_version.h"

#define CUDART_VERSION HEDDLE_CUDA_NUMBER
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
