// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects (driver API, "Texture Object Management", "Surface Object
// Management").
#include "driver/functions.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"
#include "driver/textures/texture.h"

#include <algorithm>

namespace heddle::driver {

namespace {

constexpr unsigned KnownFlags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                CU_TRSF_SEAMLESS_CUBEMAP;

CUresult readResource(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to) {
  to = {};
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    to.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
    break;
  case CU_RESOURCE_TYPE_LINEAR: {
    auto &linear = from.res.linear;
    to.res.linear.devPtr = reinterpret_cast<void *>(linear.devPtr);
    if (CUresult error = channelFormat(linear.format, linear.numChannels, to.res.linear.desc))
      return error;
    to.res.linear.sizeInBytes = linear.sizeInBytes;
    break;
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    auto &pitched = from.res.pitch2D;
    to.res.pitch2D.devPtr = reinterpret_cast<void *>(pitched.devPtr);
    if (CUresult error = channelFormat(pitched.format, pitched.numChannels, to.res.pitch2D.desc))
      return error;
    to.res.pitch2D.width = pitched.width;
    to.res.pitch2D.height = pitched.height;
    to.res.pitch2D.pitchInBytes = pitched.pitchInBytes;
    break;
  }
  }
  return from.flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUDA_RESOURCE_DESC describe(const cudaResourceDesc &from) {
  CUDA_RESOURCE_DESC to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
  case cudaResourceTypeArray:
    to.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
    break;
  case cudaResourceTypeMipmappedArray:
    to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
    break;
  case cudaResourceTypeLinear: {
    auto &linear = to.res.linear;
    linear.devPtr = reinterpret_cast<CUdeviceptr>(from.res.linear.devPtr);
    linear.format = arrayFormat(from.res.linear.desc);
    linear.numChannels = channelsOf(from.res.linear.desc);
    linear.sizeInBytes = from.res.linear.sizeInBytes;
    break;
  }
  case cudaResourceTypePitch2D: {
    auto &pitched = to.res.pitch2D;
    pitched.devPtr = reinterpret_cast<CUdeviceptr>(from.res.pitch2D.devPtr);
    pitched.format = arrayFormat(from.res.pitch2D.desc);
    pitched.numChannels = channelsOf(from.res.pitch2D.desc);
    pitched.width = from.res.pitch2D.width;
    pitched.height = from.res.pitch2D.height;
    pitched.pitchInBytes = from.res.pitch2D.pitchInBytes;
    break;
  }
  }
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

CUDA_TEXTURE_DESC describe(const cudaTextureDesc &from, const cudaChannelFormatDesc &format) {
  CUDA_TEXTURE_DESC to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  const bool readsIntegers = isInteger(format) && from.readMode == cudaReadModeElementType;
  to.flags = (readsIntegers ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from.sRGB ? CU_TRSF_SRGB : 0u) |
             (from.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
             (from.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  std::copy(from.borderColor, from.borderColor + 4, to.borderColor);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

/// One API's description of a view as the other's. Names of formats are the same numbers in both.
template <typename To, typename From> To viewAs(const From &from) {
  To to = {};
  to.format = static_cast<decltype(to.format)>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
  return to;
}

/// The format of a view, or of the resource itself.
CUresult formatFor(const cudaResourceDesc &resource, const CUDA_RESOURCE_VIEW_DESC *view,
                   cudaChannelFormatDesc &format) {
  if (resource.resType == cudaResourceTypeArray && !isArray(resource.res.array.array))
    return CUDA_ERROR_INVALID_HANDLE;
  if (resource.resType == cudaResourceTypeMipmappedArray && !isMipmap(resource.res.mipmap.mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  if (static_cast<unsigned>(resource.resType) > cudaResourceTypePitch2D)
    return CUDA_ERROR_INVALID_VALUE;
  format = formatOf(resource);
  if (view && view->format != CU_RES_VIEW_FORMAT_NONE)
    formatOfView(static_cast<cudaResourceViewFormat>(view->format), format);
  return CUDA_SUCCESS;
}

} // namespace

cudaTextureDesc readSettings(const CUDA_TEXTURE_DESC &from, const cudaChannelFormatDesc &format) {
  cudaTextureDesc to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode = readModeOf(format, from.flags);
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  std::copy(from.borderColor, from.borderColor + 4, to.borderColor);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resourceDesc,
                           const CUDA_TEXTURE_DESC *textureDesc,
                           const CUDA_RESOURCE_VIEW_DESC *viewDesc) {
  if (!object || !resourceDesc || !textureDesc || textureDesc->flags & ~KnownFlags)
    return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc resource;
  if (CUresult error = readResource(*resourceDesc, resource))
    return error;
  cudaChannelFormatDesc format;
  if (CUresult error = formatFor(resource, viewDesc, format))
    return error;
  const cudaTextureDesc settings = readSettings(*textureDesc, format);
  const cudaResourceViewDesc view =
      viewDesc ? viewAs<cudaResourceViewDesc>(*viewDesc) : cudaResourceViewDesc{};
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
  *settings = describe(texture->settings, formatOf(texture->resource));
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object) {
  const Texture *texture = findTexture(object);
  if (!view || !texture)
    return CUDA_ERROR_INVALID_VALUE;
  *view = viewAs<CUDA_RESOURCE_VIEW_DESC>(texture->view);
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
