// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphics (driver API, "OpenGL Interoperability" and "Graphics Interoperability"). No graphics API
// shares anything with these devices: there is never a context to register a resource of, and so no
// resource that could be mapped. The codes are those that the manual has for that.
#include "driver/functions.h"
#include "driver/state.h"

namespace heddle::driver {

namespace {

/// No OpenGL context of this thread belongs to a device.
CUresult hasNoContext(CUresult error) {
  reportFailure("OpenGL interoperability", "no OpenGL context shares with this device");
  return error;
}

/// Of resources that cannot exist.
CUresult isNoResource(bool hasArguments) {
  return hasArguments ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuGLGetDevices_v2(unsigned *count, CUdevice *devices, unsigned room, CUGLDeviceList list) {
  const bool isKnown = list >= CU_GL_DEVICE_LIST_ALL && list <= CU_GL_DEVICE_LIST_NEXT_FRAME;
  if (!count || (room && !devices) || !isKnown)
    return CUDA_ERROR_INVALID_VALUE;
  return hasNoContext(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}
CUresult cuGLGetDevices(unsigned *count, CUdevice *devices, unsigned room, CUGLDeviceList list) {
  return cuGLGetDevices_v2(count, devices, room, list);
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned, unsigned flags) {
  if (!resource || flags > CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
    return CUDA_ERROR_INVALID_VALUE;
  return hasNoContext(CUDA_ERROR_OPERATING_SYSTEM);
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned, unsigned,
                                   unsigned flags) {
  constexpr unsigned Known =
      CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD |
      CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
  if (!resource || flags & ~Known)
    return CUDA_ERROR_INVALID_VALUE;
  return hasNoContext(CUDA_ERROR_OPERATING_SYSTEM);
}

// ---------------------------------------------------------------------------------------------------
// The oldest interface: contexts for OpenGL, and buffers by their numbers.

CUresult cuGLCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  return isDevice(device) ? hasNoContext(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
                          : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuGLCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return cuGLCtxCreate_v2(context, flags, device);
}
CUresult cuGLInit() { return hasNoContext(CUDA_ERROR_OPERATING_SYSTEM); }

CUresult cuGLRegisterBufferObject(unsigned) { return hasNoContext(CUDA_ERROR_OPERATING_SYSTEM); }

CUresult cuGLMapBufferObject_v2(CUdeviceptr *pointer, size_t *, unsigned) {
  return pointer ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *pointer, size_t *bytes, unsigned buffer,
                                     CUstream) {
  return cuGLMapBufferObject_v2(pointer, bytes, buffer);
}

CUresult cuGLUnmapBufferObject(unsigned) { return CUDA_ERROR_UNMAP_FAILED; }
CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream) {
  return cuGLUnmapBufferObject(buffer);
}

CUresult cuGLUnregisterBufferObject(unsigned) { return isNoResource(true); }

CUresult cuGLSetBufferObjectMapFlags(unsigned, unsigned flags) {
  return isNoResource(flags <= CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
}

// ---------------------------------------------------------------------------------------------------
// Resources of all graphics APIs.

CUresult cuGraphicsUnregisterResource(CUgraphicsResource) { return isNoResource(true); }

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource, unsigned flags) {
  return isNoResource(flags <= CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
}
CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned flags) {
  return cuGraphicsResourceSetMapFlags_v2(resource, flags);
}

CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource *resources, CUstream) {
  return isNoResource(count > 0 && resources);
}
CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource *resources, CUstream) {
  return isNoResource(count > 0 && resources);
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *, size_t *, CUgraphicsResource) {
  return isNoResource(true);
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource, unsigned,
                                             unsigned) {
  return isNoResource(array);
}

CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUgraphicsResource) {
  return isNoResource(mipmap);
}

} // namespace heddle::driver
