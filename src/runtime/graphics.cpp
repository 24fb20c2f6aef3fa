// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphics (runtime API, "OpenGL Interoperability" and "Graphics Interoperability").
#include "runtime/driver.h"

#include "cuda_gl_interop.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

CUgraphicsResource of(cudaGraphicsResource *resource) {
  return reinterpret_cast<CUgraphicsResource>(resource);
}
CUgraphicsResource *of(cudaGraphicsResource **resources) {
  return reinterpret_cast<CUgraphicsResource *>(resources);
}

} // namespace

HEDDLE_API cudaError_t cudaGLGetDevices(unsigned *count, int *devices, unsigned room,
                                        cudaGLDeviceList list) {
  return translate([&] {
    return ask<&Cu::cuGLGetDevices_v2>(count, devices, room, static_cast<CUGLDeviceList>(list));
  });
}

HEDDLE_API cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource **resource, GLuint buffer,
                                                    unsigned flags) {
  return translate(
      [&] { return ask<&Cu::cuGraphicsGLRegisterBuffer>(of(resource), buffer, flags); });
}

HEDDLE_API cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource **resource, GLuint image,
                                                   GLenum target, unsigned flags) {
  return translate(
      [&] { return ask<&Cu::cuGraphicsGLRegisterImage>(of(resource), image, target, flags); });
}

/// Since CUDA 5 a device is chosen as for any other use.
HEDDLE_API cudaError_t cudaGLSetGLDevice(int device) {
  return named([&] { return cudaSetDevice(device); });
}

// The oldest interface, by numbers of buffers.

HEDDLE_API cudaError_t cudaGLRegisterBufferObject(GLuint buffer) {
  return translate([&] { return ask<&Cu::cuGLRegisterBufferObject>(buffer); });
}

HEDDLE_API cudaError_t cudaGLMapBufferObject(void **p, GLuint buffer) {
  return translate([&] {
    size_t bytes;
    return ask<&Cu::cuGLMapBufferObject_v2>(reinterpret_cast<CUdeviceptr *>(p), &bytes, buffer);
  });
}

HEDDLE_API cudaError_t cudaGLMapBufferObjectAsync(void **p, GLuint buffer, cudaStream_t stream) {
  return translate([&] {
    size_t bytes;
    return ask<&Cu::cuGLMapBufferObjectAsync_v2>(reinterpret_cast<CUdeviceptr *>(p), &bytes, buffer,
                                                 stream);
  });
}

HEDDLE_API cudaError_t cudaGLUnmapBufferObject(GLuint buffer) {
  return translate([&] { return ask<&Cu::cuGLUnmapBufferObject>(buffer); });
}

HEDDLE_API cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream) {
  return translate([&] { return ask<&Cu::cuGLUnmapBufferObjectAsync>(buffer, stream); });
}

HEDDLE_API cudaError_t cudaGLUnregisterBufferObject(GLuint buffer) {
  return translate([&] { return ask<&Cu::cuGLUnregisterBufferObject>(buffer); });
}

HEDDLE_API cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned flags) {
  return translate([&] { return ask<&Cu::cuGLSetBufferObjectMapFlags>(buffer, flags); });
}

// Resources of all graphics APIs.

HEDDLE_API cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  return translate([&] { return ask<&Cu::cuGraphicsUnregisterResource>(of(resource)); });
}

HEDDLE_API cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
                                                       unsigned flags) {
  return translate([&] { return ask<&Cu::cuGraphicsResourceSetMapFlags_v2>(of(resource), flags); });
}

HEDDLE_API cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                                cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuGraphicsMapResources>(static_cast<unsigned>(std::max(count, 0)),
                                            of(resources), stream);
  });
}

HEDDLE_API cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                                  cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuGraphicsUnmapResources>(static_cast<unsigned>(std::max(count, 0)),
                                              of(resources), stream);
  });
}

HEDDLE_API cudaError_t cudaGraphicsResourceGetMappedPointer(void **p, size_t *bytes,
                                                            cudaGraphicsResource_t resource) {
  return translate([&] {
    return ask<&Cu::cuGraphicsResourceGetMappedPointer_v2>(reinterpret_cast<CUdeviceptr *>(p),
                                                           bytes, of(resource));
  });
}

HEDDLE_API cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                             cudaGraphicsResource_t resource,
                                                             unsigned index, unsigned level) {
  return translate([&] {
    return ask<&Cu::cuGraphicsSubResourceGetMappedArray>(reinterpret_cast<CUarray *>(array),
                                                         of(resource), index, level);
  });
}

HEDDLE_API cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaGraphicsResource_t resource) {
  return translate([&] {
    return ask<&Cu::cuGraphicsResourceGetMappedMipmappedArray>(
        reinterpret_cast<CUmipmappedArray *>(mipmap), of(resource));
  });
}
