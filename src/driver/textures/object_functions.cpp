// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects (driver API, "Texture Object Management", "Surface Object
// Management").
#include "driver/functions.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"
#include "driver/texture_structures.h"
#include "driver/textures/texture.h"

#include <algorithm>

namespace heddle::driver {

namespace {

constexpr unsigned KnownFlags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                CU_TRSF_SEAMLESS_CUBEMAP;

CUresult readResource(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to) {
  if (CUresult error = toRuntime(from, to, channelFormat))
    return error;
  return from.flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUDA_RESOURCE_DESC describe(const cudaResourceDesc &from) {
  CUDA_RESOURCE_DESC to;
  toDriver(from, to,
           [](const cudaChannelFormatDesc &f, CUarray_format &format, unsigned &channels) {
             format = arrayFormat(f);
             channels = channelsOf(f);
             return CUDA_SUCCESS;
           });
  return to;
}

bool isInteger(const cudaChannelFormatDesc &format) {
  return format.f == cudaChannelFormatKindSigned || format.f == cudaChannelFormatKindUnsigned;
}

/// Whether texels are read as floats in [0, 1] or [-1, 1]. Integers of 8 and 16 bits are, unless the
/// flag says otherwise.
cudaTextureReadMode readModeOf(const cudaChannelFormatDesc &format, unsigned flags) {
  const bool promotes = isInteger(format) && format.x < 32 && !(flags & CU_TRSF_READ_AS_INTEGER);
  return promotes || isNormalizedFormat(format) ? cudaReadModeNormalizedFloat
                                                : cudaReadModeElementType;
}

bool isAnySet(const auto &words) {
  return std::ranges::any_of(words, [](auto word) { return word != 0; });
}

CUresult noArray(const void *handle) {
  return handle ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

/// The format of a view, or of the resource itself.
CUresult formatFor(const cudaResourceDesc &resource, const CUDA_RESOURCE_VIEW_DESC *view,
                   cudaChannelFormatDesc &format) {
  if (resource.resType == cudaResourceTypeArray && !isArray(resource.res.array.array))
    return noArray(resource.res.array.array);
  if (resource.resType == cudaResourceTypeMipmappedArray && !isMipmap(resource.res.mipmap.mipmap))
    return noArray(resource.res.mipmap.mipmap);
  if (static_cast<unsigned>(resource.resType) > cudaResourceTypePitch2D)
    return CUDA_ERROR_INVALID_VALUE;
  format = formatOf(resource);
  if (view && view->format != CU_RES_VIEW_FORMAT_NONE)
    formatOfView(static_cast<cudaResourceViewFormat>(view->format), format);
  return CUDA_SUCCESS;
}

} // namespace

cudaTextureDesc readSettings(const CUDA_TEXTURE_DESC &from, const cudaChannelFormatDesc &format) {
  return toRuntime(from, readModeOf(format, from.flags));
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resourceDesc,
                           const CUDA_TEXTURE_DESC *textureDesc,
                           const CUDA_RESOURCE_VIEW_DESC *viewDesc) {
  if (!object || !resourceDesc || !textureDesc || textureDesc->flags & ~KnownFlags ||
      isAnySet(textureDesc->reserved) || (viewDesc && isAnySet(viewDesc->reserved)))
    return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc resource;
  if (CUresult error = readResource(*resourceDesc, resource))
    return error;
  cudaChannelFormatDesc format;
  if (CUresult error = formatFor(resource, viewDesc, format))
    return error;
  const cudaTextureDesc settings = readSettings(*textureDesc, format);
  const cudaResourceViewDesc view =
      viewDesc ? sameView<cudaResourceViewDesc>(*viewDesc) : cudaResourceViewDesc{};
  Texture *texture = nullptr;
  if (CUresult error = createTexture(texture, resource, settings, viewDesc ? &view : nullptr))
    return error;
  *object = reinterpret_cast<CUtexObject>(texture);
  return CUDA_SUCCESS;
}

/// What is no object, or one no more, is destroyed without an error, as on an H200.
CUresult cuTexObjectDestroy(CUtexObject object) {
  Texture *texture = findTexture(object);
  if (!texture)
    return CUDA_SUCCESS;
  CUresult error = waitForReaders();
  destroyTexture(texture);
  return error;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object) {
  const Texture *texture = findTexture(object);
  if (!resource || !texture)
    return CUDA_ERROR_INVALID_VALUE;
  *resource = describe(texture->resource);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *settings, CUtexObject object) {
  const Texture *texture = findTexture(object);
  if (!settings || !texture)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaTextureDesc &own = texture->settings;
  *settings = toDriver(own, isInteger(formatOf(texture->resource)) &&
                                own.readMode == cudaReadModeElementType);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object) {
  const Texture *texture = findTexture(object);
  if (!view || !texture)
    return CUDA_ERROR_INVALID_VALUE;
  *view = sameView<CUDA_RESOURCE_VIEW_DESC>(texture->view);
  return CUDA_SUCCESS;
}

/// An array need not have been made with CUDA_ARRAY3D_SURFACE_LDST: an H200 does not ask for it
/// either.
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resourceDesc) {
  if (!object || !resourceDesc)
    return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc resource;
  Surface *surface = nullptr;
  if (CUresult error = readResource(*resourceDesc, resource))
    return error;
  if (resource.resType == cudaResourceTypeArray && !resource.res.array.array)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = createSurface(surface, resource))
    return error;
  *object = reinterpret_cast<CUsurfObject>(surface);
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  Surface *surface = findSurface(object);
  if (!surface)
    return CUDA_SUCCESS;
  CUresult error = waitForReaders();
  destroySurface(surface);
  return error;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object) {
  const Surface *surface = findSurface(object);
  if (!resource || !surface)
    return CUDA_ERROR_INVALID_VALUE;
  *resource = describe(surface->resource);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
