// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the part of a program that a profiler should watch.
#ifndef HEDDLE_CUDA_PROFILER_API_H
#define HEDDLE_CUDA_PROFILER_API_H
#define __CUDA_PROFILER_API_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
extern "C" {
#endif
#include "heddle/profiler_functions.inc"
#if defined(__cplusplus)
}
#endif

#endif
