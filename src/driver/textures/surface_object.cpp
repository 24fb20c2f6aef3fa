// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/handle_pool.h"
#include "driver/memory/array.h"
#include "driver/textures/texture.h"

namespace heddle::driver {

namespace {

constexpr size_t MostSurfaces = 1 << 20;

HandlePool<Surface, MostSurfaces> &pool() {
  static auto *surfaces = new HandlePool<Surface, MostSurfaces>;
  return *surfaces;
}

Surface *find(cudaSurfaceObject_t object) {
  return pool().find(reinterpret_cast<const void *>(object));
}

} // namespace

CUresult createSurface(Surface *&surface, const cudaResourceDesc &resource) {
  if (resource.resType != cudaResourceTypeArray)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isArray(resource.res.array.array))
    return CUDA_ERROR_INVALID_HANDLE;
  surface = pool().create();
  if (!surface)
    return CUDA_ERROR_OUT_OF_MEMORY;
  surface->descriptor = describeSurface(*resource.res.array.array);
  surface->resource = resource;
  return CUDA_SUCCESS;
}

void destroySurface(Surface *surface) { pool().destroy(surface); }

} // namespace heddle::driver

using namespace heddle::driver;

/// An array need not have been made with cudaArraySurfaceLoadStore: an H200 does not ask for it
/// either.
CUresult heddle::driver::cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                                 const cudaResourceDesc *resource) {
  return enter([&] {
    if (!object || !resource)
      return CUDA_ERROR_INVALID_VALUE;
    Surface *surface = nullptr;
    if (CUresult error = createSurface(surface, *resource))
      return error;
    *object = reinterpret_cast<cudaSurfaceObject_t>(surface);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return enter([&] {
    Surface *surface = find(object);
    if (!surface)
      return CUDA_SUCCESS;
    CUresult error = waitForReaders();
    destroySurface(surface);
    return error;
  });
}

CUresult heddle::driver::cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource,
                                                          cudaSurfaceObject_t object) {
  return enter([&] {
    Surface *surface = find(object);
    if (!resource || !surface)
      return CUDA_ERROR_INVALID_VALUE;
    *resource = surface->resource;
    return CUDA_SUCCESS;
  });
}
