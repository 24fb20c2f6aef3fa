// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenGL interoperability of the CUDA driver API. Names and identifiers of GL are unsigned int.
#ifndef CUDAGL_H
#define CUDAGL_H

#include "cuda.h"
#include "heddle/gl_types.h"

#include "heddle/driver_gl_names.inc"

#if defined(__cplusplus)
extern "C" {
#endif
#include "heddle/driver_gl_functions.inc"
#if defined(__cplusplus)
}
#endif

#endif
