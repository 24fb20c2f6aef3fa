// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphics (runtime API, "OpenGL Interoperability" and "Graphics Interoperability"). No graphics
// API shares anything with these devices: there is never a context to register a resource of, and
// so no resource that could be mapped. The codes are those that the manual has for that.
#include "runtime/thread.h"

#include "driver/state.h"

#include "cuda_gl_interop.h"

using namespace heddle::runtime;
using heddle::driver::enter;

namespace {

/// No OpenGL context of this thread belongs to a device.
cudaError_t hasNoContext(const char *api, CUresult error) {
  return keep(enter([&] {
    heddle::driver::reportFailure(api, "no OpenGL context shares with this device");
    return error;
  }));
}

/// Of resources that cannot exist.
cudaError_t isNoResource(bool hasArguments) {
  return keep(
      enter([&] { return hasArguments ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE; }));
}

} // namespace

HEDDLE_API cudaError_t cudaGLGetDevices(unsigned *count, int *devices, unsigned room,
                                        cudaGLDeviceList list) {
  const bool isKnown = list >= cudaGLDeviceListAll && list <= cudaGLDeviceListNextFrame;
  if (!count || (room && !devices) || !isKnown)
    return keep(enter([] { return CUDA_ERROR_INVALID_VALUE; }));
  return hasNoContext("cudaGLGetDevices", CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}

HEDDLE_API cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource **resource, GLuint,
                                                    unsigned flags) {
  if (!resource || flags > cudaGraphicsRegisterFlagsWriteDiscard)
    return keep(enter([] { return CUDA_ERROR_INVALID_VALUE; }));
  return hasNoContext("cudaGraphicsGLRegisterBuffer", CUDA_ERROR_OPERATING_SYSTEM);
}

HEDDLE_API cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource **resource, GLuint, GLenum,
                                                   unsigned flags) {
  constexpr unsigned Known =
      cudaGraphicsRegisterFlagsReadOnly | cudaGraphicsRegisterFlagsWriteDiscard |
      cudaGraphicsRegisterFlagsSurfaceLoadStore | cudaGraphicsRegisterFlagsTextureGather;
  if (!resource || flags & ~Known)
    return keep(enter([] { return CUDA_ERROR_INVALID_VALUE; }));
  return hasNoContext("cudaGraphicsGLRegisterImage", CUDA_ERROR_OPERATING_SYSTEM);
}

/// Since CUDA 5 a device is chosen as for any other use.
HEDDLE_API cudaError_t cudaGLSetGLDevice(int device) { return cudaSetDevice(device); }

// The oldest interface, by numbers of buffers.

HEDDLE_API cudaError_t cudaGLRegisterBufferObject(GLuint) {
  return hasNoContext("cudaGLRegisterBufferObject", CUDA_ERROR_OPERATING_SYSTEM);
}

HEDDLE_API cudaError_t cudaGLMapBufferObject(void **p, GLuint) {
  return keep(enter([&] { return p ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_VALUE; }));
}

HEDDLE_API cudaError_t cudaGLMapBufferObjectAsync(void **p, GLuint buffer, cudaStream_t) {
  return cudaGLMapBufferObject(p, buffer);
}

HEDDLE_API cudaError_t cudaGLUnmapBufferObject(GLuint) {
  return keep(enter([] { return CUDA_ERROR_UNMAP_FAILED; }));
}

HEDDLE_API cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t) {
  return cudaGLUnmapBufferObject(buffer);
}

HEDDLE_API cudaError_t cudaGLUnregisterBufferObject(GLuint) { return isNoResource(true); }

HEDDLE_API cudaError_t cudaGLSetBufferObjectMapFlags(GLuint, unsigned flags) {
  return isNoResource(flags <= cudaGLMapFlagsWriteDiscard);
}

// Resources of all graphics APIs.

HEDDLE_API cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) {
  return isNoResource(true);
}

HEDDLE_API cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned flags) {
  return isNoResource(flags <= cudaGraphicsMapFlagsWriteDiscard);
}

HEDDLE_API cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                                cudaStream_t) {
  return isNoResource(count > 0 && resources);
}

HEDDLE_API cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                                  cudaStream_t) {
  return isNoResource(count > 0 && resources);
}

HEDDLE_API cudaError_t cudaGraphicsResourceGetMappedPointer(void **, size_t *,
                                                            cudaGraphicsResource_t) {
  return isNoResource(true);
}

HEDDLE_API cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                             cudaGraphicsResource_t, unsigned,
                                                             unsigned) {
  return isNoResource(array);
}

HEDDLE_API cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
                                                                   cudaGraphicsResource_t) {
  return isNoResource(mipmap);
}
