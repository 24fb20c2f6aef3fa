// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenGL interoperability (runtime API, "OpenGL Interoperability"). No OpenGL context shares with a
// device here, and that is what the functions answer.
#ifndef HEDDLE_CUDA_GL_INTEROP_H
#define HEDDLE_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"
#include "heddle/gl_types.h"

enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame = 2,
  cudaGLDeviceListNextFrame = 3
};
enum cudaGLMapFlags {
  cudaGLMapFlagsNone = 0,
  cudaGLMapFlagsReadOnly = 1,
  cudaGLMapFlagsWriteDiscard = 2
};

#ifdef __cplusplus
extern "C" {
#endif
#include "heddle/gl_functions.inc"
#ifdef __cplusplus
}
#endif

#endif
