// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/handle_pool.h"
#include "driver/rooms.h"
#include "driver/streams/stream.h"
#include "driver/textures/texture.h"

namespace heddle::driver {

namespace {

constexpr size_t MostTextures = 1 << 20;

HandlePool<Texture, MostTextures> &pool() { return rooms().textures.get(); }

/// As the getters tell it.
cudaTextureDesc normalizedSettings(cudaTextureDesc settings) {
  settings.normalizedCoords = settings.normalizedCoords != 0;
  settings.sRGB = settings.sRGB != 0;
  settings.seamlessCubemap = settings.seamlessCubemap != 0;
  return settings;
}

} // namespace

CUresult createTexture(Texture *&texture, const cudaResourceDesc &resource,
                       const cudaTextureDesc &settings, const cudaResourceViewDesc *view) {
  if (CUresult error = checkTexture(resource, settings, view))
    return error;
  texture = pool().create();
  if (!texture)
    return CUDA_ERROR_OUT_OF_MEMORY;
  texture->descriptor = describeTexture(resource, settings, view);
  texture->resource = resource;
  texture->settings = normalizedSettings(settings);
  texture->view = view ? *view : cudaResourceViewDesc{};
  return CUDA_SUCCESS;
}

Texture *findTexture(CUtexObject object) {
  return pool().find(reinterpret_cast<const void *>(object));
}

bool isSampled(Bounds bounds) {
  bool isFound = false;
  pool().forEach([&](const Texture *texture) {
    const cudaResourceDesc &resource = texture->resource;
    if (baseArray(resource))
      return;
    auto *at = static_cast<const uint8_t *>(texture->descriptor.level[0].data);
    isFound |= at && uint64_t(at - bounds.low) < bounds.bytes;
  });
  return isFound;
}

CUresult waitForReaders() { return synchronizeContexts(); }

void destroyTexture(Texture *texture) { pool().destroy(texture); }

} // namespace heddle::driver
