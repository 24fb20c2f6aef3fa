// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/handle_pool.h"
#include "driver/streams/stream.h"
#include "driver/textures/texture.h"

namespace heddle::driver {

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

CUresult waitForReaders() { return synchronizeContexts(); }

void destroyTexture(Texture *texture) { pool().destroy(texture); }

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaCreateTextureObject(cudaTextureObject_t *object,
                                                 const cudaResourceDesc *resource,
                                                 const cudaTextureDesc *settings,
                                                 const cudaResourceViewDesc *view) {
  return enter([&] {
    if (!object || !resource)
      return CUDA_ERROR_INVALID_VALUE;
    if (!settings) // so an H200
      return CUDA_ERROR_INVALID_HANDLE;
    Texture *texture = nullptr;
    if (CUresult error = createTexture(texture, *resource, *settings, view))
      return error;
    *object = reinterpret_cast<cudaTextureObject_t>(texture);
    return CUDA_SUCCESS;
  });
}

/// What is no object, or one no more, is destroyed without an error, as on an H200.
CUresult heddle::driver::cudaDestroyTextureObject(cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!texture)
      return CUDA_SUCCESS;
    CUresult error = waitForReaders();
    destroyTexture(texture);
    return error;
  });
}

CUresult heddle::driver::cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                                          cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!resource || !texture)
      return CUDA_ERROR_INVALID_VALUE;
    *resource = texture->resource;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGetTextureObjectTextureDesc(cudaTextureDesc *settings,
                                                         cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!settings || !texture)
      return CUDA_ERROR_INVALID_VALUE;
    *settings = texture->settings;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view,
                                                              cudaTextureObject_t object) {
  return enter([&] {
    Texture *texture = find(object);
    if (!view || !texture)
      return CUDA_ERROR_INVALID_VALUE;
    *view = texture->view;
    return CUDA_SUCCESS;
  });
}
