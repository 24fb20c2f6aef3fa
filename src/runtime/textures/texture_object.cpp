// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects (runtime API, "Texture Object Management", "Surface Object
// Management").
#include "runtime/textures/texture.h"

#include "driver/texture_structures.h"

#include <cstddef>
#include <cstring>

using namespace heddle::runtime;

namespace {

CUresult createTexture(cudaTextureObject_t *object, const cudaResourceDesc &resourceDesc,
                       const cudaTextureDesc &settings, const cudaResourceViewDesc *viewDesc) {
  CUDA_RESOURCE_DESC resource;
  CUarray_format format;
  if (CUresult error = readResource(resourceDesc, resource))
    return error;
  if (CUresult error = formatOf(resource, format))
    return error;
  if (CUresult error = checkReading(format, settings))
    return error;
  const CUDA_TEXTURE_DESC texture = settingsOf(settings);
  CUDA_RESOURCE_VIEW_DESC view;
  if (viewDesc)
    view = heddle::sameView<CUDA_RESOURCE_VIEW_DESC>(*viewDesc);
  return ask<&Cu::cuTexObjectCreate>(object, &resource, &texture, viewDesc ? &view : nullptr);
}

/// The format of an object's texels.
CUresult formatOf(cudaTextureObject_t object, CUarray_format &format) {
  CUDA_RESOURCE_DESC resource;
  CUresult error = ask<&Cu::cuTexObjectGetResourceDesc>(&resource, object);
  return error == CUDA_SUCCESS ? heddle::runtime::formatOf(resource, format) : error;
}

} // namespace

HEDDLE_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
  return translate([&] {
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!format)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error = describe(array, d);
    if (error == CUDA_SUCCESS)
      *format = channelFormat(d.Format, d.NumChannels);
    return error;
  });
}

HEDDLE_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                               const cudaResourceDesc *resource,
                                               const cudaTextureDesc *settings,
                                               const cudaResourceViewDesc *view) {
  return translate([&] {
    if (!object || !resource)
      return CUDA_ERROR_INVALID_VALUE;
    if (!settings) // so an H200
      return CUDA_ERROR_INVALID_HANDLE;
    return createTexture(object, *resource, *settings, view);
  });
}

HEDDLE_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return translate([&] { return ask<&Cu::cuTexObjectDestroy>(object); });
}

HEDDLE_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                                        cudaTextureObject_t object) {
  return translate([&] {
    CUDA_RESOURCE_DESC found;
    CUresult error = ask<&Cu::cuTexObjectGetResourceDesc>(resource ? &found : nullptr, object);
    if (error == CUDA_SUCCESS)
      *resource = resourceOf(found);
    return error;
  });
}

HEDDLE_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *settings,
                                                       cudaTextureObject_t object) {
  return translate([&] {
    CUDA_TEXTURE_DESC found;
    CUarray_format format;
    if (CUresult error = ask<&Cu::cuTexObjectGetTextureDesc>(settings ? &found : nullptr, object))
      return error;
    CUresult error = formatOf(object, format);
    if (error == CUDA_SUCCESS)
      *settings = settingsOf(found, format);
    return error;
  });
}

HEDDLE_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view,
                                                            cudaTextureObject_t object) {
  return translate([&] {
    CUDA_RESOURCE_VIEW_DESC found;
    CUresult error = ask<&Cu::cuTexObjectGetResourceViewDesc>(view ? &found : nullptr, object);
    if (error == CUDA_SUCCESS)
      *view = heddle::sameView<cudaResourceViewDesc>(found);
    return error;
  });
}

HEDDLE_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                               const cudaResourceDesc *resource) {
  return translate([&] {
    if (!object || !resource || resource->resType != cudaResourceTypeArray)
      return CUDA_ERROR_INVALID_VALUE;
    if (!resource->res.array.array)
      return CUDA_ERROR_INVALID_HANDLE;
    CUDA_RESOURCE_DESC array;
    CUresult error = readResource(*resource, array);
    return error == CUDA_SUCCESS ? ask<&Cu::cuSurfObjectCreate>(object, &array) : error;
  });
}

HEDDLE_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return translate([&] { return ask<&Cu::cuSurfObjectDestroy>(object); });
}

HEDDLE_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource,
                                                        cudaSurfaceObject_t object) {
  return translate([&] {
    CUDA_RESOURCE_DESC found;
    CUresult error = ask<&Cu::cuSurfObjectGetResourceDesc>(resource ? &found : nullptr, object);
    if (error == CUDA_SUCCESS)
      *resource = resourceOf(found);
    return error;
  });
}

// CUDA 11's settings end before the last field of ours.

namespace {
constexpr size_t OldSettingsBytes = offsetof(cudaTextureDesc, seamlessCubemap);
}

HEDDLE_API cudaError_t heddle_11_cudaCreateTextureObject(cudaTextureObject_t *object,
                                                         const cudaResourceDesc *resource,
                                                         const void *oldSettings,
                                                         const cudaResourceViewDesc *view) {
  cudaTextureDesc settings = {};
  if (oldSettings)
    std::memcpy(&settings, oldSettings, OldSettingsBytes);
  return named([&] {
    return cudaCreateTextureObject(object, resource, oldSettings ? &settings : nullptr, view);
  });
}

HEDDLE_API cudaError_t heddle_11_cudaGetTextureObjectTextureDesc(void *oldSettings,
                                                                 cudaTextureObject_t object) {
  cudaTextureDesc settings;
  cudaError_t error = cudaGetTextureObjectTextureDesc(oldSettings ? &settings : nullptr, object);
  if (error == cudaSuccess)
    std::memcpy(oldSettings, &settings, OldSettingsBytes);
  return error;
}

// CUDA 13's resources have room for others, and flags, of which none is defined.

namespace {

static_assert(offsetof(cuda13::cudaResourceDesc, res) == offsetof(cudaResourceDesc, res));

/// A resource of CUDA 13's as ours, for `call`.
template <class Call>
cudaError_t withResource(const cuda13::cudaResourceDesc *resource, Call call) {
  cudaResourceDesc ours;
  if (resource && resource->flags)
    return keep(cudaErrorInvalidValue);
  if (resource)
    std::memcpy(&ours, resource, sizeof ours);
  return call(resource ? &ours : nullptr);
}

/// The other way: `get` fills ours.
template <class Get> cudaError_t giveResource(cuda13::cudaResourceDesc *resource, Get get) {
  cudaResourceDesc ours;
  cudaError_t error = get(resource ? &ours : nullptr);
  if (error == cudaSuccess) {
    *resource = {};
    std::memcpy(resource, &ours, sizeof ours);
  }
  return error;
}

} // namespace

HEDDLE_API cudaError_t heddle_13_cudaCreateTextureObject(cudaTextureObject_t *object,
                                                         const cuda13::cudaResourceDesc *resource,
                                                         const cudaTextureDesc *settings,
                                                         const cudaResourceViewDesc *view) {
  return withResource(resource, [&](const cudaResourceDesc *ours) {
    return cudaCreateTextureObject(object, ours, settings, view);
  });
}

HEDDLE_API cudaError_t heddle_13_cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                                         const cuda13::cudaResourceDesc *resource) {
  return withResource(resource, [&](const cudaResourceDesc *ours) {
    return cudaCreateSurfaceObject(object, ours);
  });
}

HEDDLE_API cudaError_t heddle_13_cudaGetTextureObjectResourceDesc(
    cuda13::cudaResourceDesc *resource, cudaTextureObject_t object) {
  return giveResource(resource, [&](cudaResourceDesc *ours) {
    return cudaGetTextureObjectResourceDesc(ours, object);
  });
}

HEDDLE_API cudaError_t heddle_13_cudaGetSurfaceObjectResourceDesc(
    cuda13::cudaResourceDesc *resource, cudaSurfaceObject_t object) {
  return giveResource(resource, [&](cudaResourceDesc *ours) {
    return cudaGetSurfaceObjectResourceDesc(ours, object);
  });
}
