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
cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int room,
                             enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image,
                                        GLenum target, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer,
                                         unsigned int flags);
// Deprecated.
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void **pointer, GLuint buffer);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned int flags);
cudaError_t cudaGLMapBufferObjectAsync(void **pointer, GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream);
#ifdef __cplusplus
}
#endif

#endif
