// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/handle_pool.h"
#include "runtime/streams/stream.h"
#include "runtime/textures/texture.h"

namespace heddle::runtime {

namespace {

constexpr size_t MostTextures = 1 << 20;

HandlePool<Texture, MostTextures> &pool() {
  static auto *textures = new HandlePool<Texture, MostTextures>;
  return *textures;
}

Texture *find(cudaTextureObject_t object) {
  return pool().find(reinterpret_cast<const void *>(object));
}

/// As the getters tell it.
cudaTextureDesc normalizedSettings(cudaTextureDesc settings) {
  settings.normalizedCoords = settings.normalizedCoords != 0;
  settings.sRGB = settings.sRGB != 0;
  settings.seamlessCubemap = settings.seamlessCubemap != 0;
  return settings;
}

} // namespace

cudaError_t createTexture(Texture *&texture, const cudaResourceDesc &resource,
                          const cudaTextureDesc &settings, const cudaResourceViewDesc *view) {
  if (cudaError_t error = checkTexture(resource, settings, view))
    return error;
  texture = pool().create();
  if (!texture)
    return cudaErrorMemoryAllocation;
  texture->descriptor = describeTexture(resource, settings, view);
  texture->resource = resource;
  texture->settings = normalizedSettings(settings);
  texture->view = view ? *view : cudaResourceViewDesc{};
  return cudaSuccess;
}

cudaError_t waitForReaders() {
  for (auto &device : state().devices)
    if (cudaError_t error = synchronize(*device))
      return error;
  return cudaSuccess;
}

void destroyTexture(Texture *texture) { pool().destroy(texture); }

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                               const cudaResourceDesc *resource,
                                               const cudaTextureDesc *settings,
                                               const cudaResourceViewDesc *view) {
  return enter([&] {
    if (!object || !resource)
      return cudaErrorInvalidValue;
    if (!settings) // so an H200
      return cudaErrorInvalidResourceHandle;
    Texture *texture = nullptr;
    if (cudaError_t error = createTexture(texture, *resource, *settings, view))
      return error;
    *object = reinterpret_cast<cudaTextureObject_t>(texture);
    return cudaSuccess;
  });
}

/// What is no object, or one no more, is destroyed without an error, as on an H200.
HEDDLE_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!texture)
      return cudaSuccess;
    cudaError_t error = waitForReaders();
    destroyTexture(texture);
    return error;
  });
}

HEDDLE_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                                        cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!resource || !texture)
      return cudaErrorInvalidValue;
    *resource = texture->resource;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *settings,
                                                       cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!settings || !texture)
      return cudaErrorInvalidValue;
    *settings = texture->settings;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view,
                                                            cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!view || !texture)
      return cudaErrorInvalidValue;
    *view = texture->view;
    return cudaSuccess;
  });
}
