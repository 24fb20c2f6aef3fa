// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/handle_pool.h"
#include "driver/memory/array.h"
#include "driver/rooms.h"
#include "driver/textures/texture.h"

namespace heddle::driver {

namespace {

constexpr size_t MostSurfaces = 1 << 20;

HandlePool<Surface, MostSurfaces> &pool() { return rooms().surfaces.get(); }

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

Surface *findSurface(CUsurfObject object) {
  return pool().find(reinterpret_cast<const void *>(object));
}

} // namespace heddle::driver
