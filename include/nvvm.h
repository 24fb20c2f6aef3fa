// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libNVVM: PTX from NVVM IR while a program runs (libNVVM API guide). Valid in C and C++.
#ifndef HEDDLE_NVVM_H
#define HEDDLE_NVVM_H
#define NVVM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define HEDDLE_NVVM_RESULT(name) NVVM_##name,
#include "heddle/nvvm_results.inc"
#undef HEDDLE_NVVM_RESULT
} nvvmResult;

typedef struct _nvvmProgram *nvvmProgram;

const char *nvvmGetErrorString(nvvmResult result);
#define HEDDLE_NVVM(name, parameters, arguments) nvvmResult name parameters;
#include "heddle/nvvm_functions.inc"
#undef HEDDLE_NVVM

#ifdef __cplusplus
}
#endif
#endif
