// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header that nvcc and `heddle cc` include before every .cu file. It has three readers:
//  - the device half of a CUDA compile: keywords, builtin variables, all device functions;
//  - the host half: the same declarations, and CUDA's math functions for the host;
//  - a plain C or C++ compiler: types and the runtime API only.
//
// Order matters at the top. clang overloads host and device functions, and the first declaration of
// a name in the standard library decides whether a constexpr host version also counts as a device
// function. So the device declarations come before the first standard header (see
// <__clang_cuda_math_forward_declares.h>).
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#if defined(__CUDA__) && defined(__clang__)
#pragma clang system_header
#pragma clang diagnostic ignored "-Wunknown-pragmas" // nv_diag_suppress and its like

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#include "heddle/cuda_version.h"
#ifndef __CUDACC_VER_MAJOR__
#if HEDDLE_CUDA_VERSION < 13
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 93
#else
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#endif
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION HEDDLE_CUDA_NUMBER
#endif

#include "host_defines.h"

#include "heddle/device_system.h"

#include "heddle/device_forward_math.h"
#include "heddle/device_layout.h"

#include <climits> // what all of the standard library's headers include is of the host

// The traits ask in functions that are never called what a call would return. As functions of both
// sides they may ask it of device functions and closures, as in nvcc. They declare std::swap, which
// libstdc++ defines elsewhere, and both must be of the same sides.
#pragma clang force_cuda_host_device begin
#include <type_traits>
#if __has_include(<bits/move.h>)
#include <bits/move.h>
#endif
#pragma clang force_cuda_host_device end

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctype.h>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include "channel_descriptor.h"
#include "cuda_device_runtime_api.h"
#include "driver_functions.h"
#include "heddle/builtin_vars.h"
#include "heddle/device_math.h"
#include "heddle/min_max.h"
#include "heddle/runtime_templates.h"

#include "heddle/device_atomics.h"
#include "heddle/device_integer.h"
#include "heddle/device_memory.h"
#include "heddle/device_scoped_atomics.h"
#include "heddle/device_warp.h"
#include "heddle/host_math.h"
#include "heddle/surface_functions.h"
#include "heddle/texture_functions.h"

#include "heddle/library_errors.h"
#include "heddle/library_hooks.h"

#include "heddle/device_cluster.h"
#include "heddle/device_mbarrier.h"

/// What clang calls for `kernel<<<grid, block, shared, stream>>>`; see src/runtime.
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                                                void *stream = 0)
#if HEDDLE_CUDA_VERSION >= 13
    __asm__("heddle_13___cudaPushCallConfiguration")
#endif
        ;

#else // a plain C or C++ compiler
#if defined(__cplusplus) && __cplusplus >= 201103L
#include <utility>
#endif

#include "cuda_runtime_api.h"

#include "channel_descriptor.h"
#include "driver_functions.h"
#include "vector_functions.h"
#if defined(__cplusplus)
#include "heddle/runtime_templates.h"
#endif
#endif

#endif
