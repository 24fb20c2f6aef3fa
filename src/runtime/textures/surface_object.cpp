// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/array.h"
#include "runtime/handle_pool.h"
#include "runtime/textures/texture.h"

namespace heddle::runtime {

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

cudaError_t createSurface(Surface *&surface, const cudaResourceDesc &resource) {
  if (resource.resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  if (!isArray(resource.res.array.array))
    return cudaErrorInvalidResourceHandle;
  surface = pool().create();
  if (!surface)
    return cudaErrorMemoryAllocation;
  surface->descriptor = describeSurface(*resource.res.array.array);
  surface->resource = resource;
  return cudaSuccess;
}

void destroySurface(Surface *surface) { pool().destroy(surface); }

} // namespace heddle::runtime

using namespace heddle::runtime;

/// An array need not have been made with cudaArraySurfaceLoadStore: an H200 does not ask for it
/// either.
HEDDLE_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                               const cudaResourceDesc *resource) {
  return enter([&] {
    if (!object || !resource)
      return cudaErrorInvalidValue;
    Surface *surface = nullptr;
    if (cudaError_t error = createSurface(surface, *resource))
      return error;
    *object = reinterpret_cast<cudaSurfaceObject_t>(surface);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return enter([&] {
    Surface *surface = find(object);
    if (!surface)
      return cudaSuccess;
    cudaError_t error = waitForReaders();
    destroySurface(surface);
    return error;
  });
}

HEDDLE_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource,
                                                        cudaSurfaceObject_t object) {
  return enter([&] {
    Surface *surface = find(object);
    if (!resource || !surface)
      return cudaErrorInvalidValue;
    *resource = surface->resource;
    return cudaSuccess;
  });
}
