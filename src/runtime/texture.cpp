// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects (runtime API, "Texture Object Management", "Surface Object
// Management"). Enumerators that are cast have the same numbers in both APIs.
#include "runtime/texture.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

bool isInteger(CUarray_format format) {
  return format <= CU_AD_FORMAT_UNSIGNED_INT32 ||
         (format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32);
}
bool isFloat(CUarray_format format) {
  return format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
}
bool isNormalized(CUarray_format format) { return !isInteger(format) && !isFloat(format); }
bool hasWords(CUarray_format format) {
  return format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
}

/// What the runtime says of a format of memory that no array has.
CUresult linearFormat(const cudaChannelFormatDesc &from, CUarray_format &format,
                      unsigned &channels) {
  return arrayFormat(from, format, channels) == CUDA_SUCCESS
             ? CUDA_SUCCESS
             : CUresult(cudaErrorInvalidChannelDescriptor);
}

} // namespace

CUresult readResource(const cudaResourceDesc &from, CUDA_RESOURCE_DESC &to) {
  to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
  case cudaResourceTypeArray:
    to.res.array.hArray = handleOf(from.res.array.array);
    break;
  case cudaResourceTypeMipmappedArray:
    to.res.mipmap.hMipmappedArray = handleOf(from.res.mipmap.mipmap);
    break;
  case cudaResourceTypeLinear: {
    auto &linear = to.res.linear;
    linear.devPtr = reinterpret_cast<CUdeviceptr>(from.res.linear.devPtr);
    linear.sizeInBytes = from.res.linear.sizeInBytes;
    return linearFormat(from.res.linear.desc, linear.format, linear.numChannels);
  }
  case cudaResourceTypePitch2D: {
    auto &pitched = to.res.pitch2D;
    pitched.devPtr = reinterpret_cast<CUdeviceptr>(from.res.pitch2D.devPtr);
    pitched.width = from.res.pitch2D.width;
    pitched.height = from.res.pitch2D.height;
    pitched.pitchInBytes = from.res.pitch2D.pitchInBytes;
    return linearFormat(from.res.pitch2D.desc, pitched.format, pitched.numChannels);
  }
  }
  return CUDA_SUCCESS;
}

cudaResourceDesc resourceOf(const CUDA_RESOURCE_DESC &from) {
  cudaResourceDesc to = {};
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
    to.res.linear.desc = channelFormat(linear.format, linear.numChannels);
    to.res.linear.sizeInBytes = linear.sizeInBytes;
    break;
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    auto &pitched = from.res.pitch2D;
    to.res.pitch2D.devPtr = reinterpret_cast<void *>(pitched.devPtr);
    to.res.pitch2D.desc = channelFormat(pitched.format, pitched.numChannels);
    to.res.pitch2D.width = pitched.width;
    to.res.pitch2D.height = pitched.height;
    to.res.pitch2D.pitchInBytes = pitched.pitchInBytes;
    break;
  }
  }
  return to;
}

CUresult formatOf(const CUDA_RESOURCE_DESC &resource, CUarray_format &format) {
  CUDA_ARRAY3D_DESCRIPTOR d = {};
  CUarray array = resource.res.array.hArray;
  switch (resource.resType) {
  case CU_RESOURCE_TYPE_LINEAR:
    format = resource.res.linear.format;
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_PITCH2D:
    format = resource.res.pitch2D.format;
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    if (CUresult error =
            ask<&Cu::cuMipmappedArrayGetLevel>(&array, resource.res.mipmap.hMipmappedArray, 0u))
      return error;
    [[fallthrough]];
  case CU_RESOURCE_TYPE_ARRAY:
    if (CUresult error = ask<&Cu::cuArray3DGetDescriptor_v2>(&d, array))
      return error;
    format = d.Format;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult checkReading(CUarray_format format, const cudaTextureDesc &settings) {
  auto isMode = [](cudaTextureAddressMode mode) {
    return static_cast<unsigned>(mode) <= cudaAddressModeBorder;
  };
  auto isFilter = [](cudaTextureFilterMode mode) {
    return static_cast<unsigned>(mode) <= cudaFilterModeLinear;
  };
  if (!std::ranges::all_of(settings.addressMode, isMode) || !isFilter(settings.filterMode) ||
      !isFilter(settings.mipmapFilterMode))
    return CUDA_ERROR_INVALID_VALUE;
  const bool reads = settings.readMode == cudaReadModeNormalizedFloat;
  if (isNormalized(format))
    return reads ? CUDA_SUCCESS : CUresult(cudaErrorInvalidNormSetting);
  if (settings.filterMode == cudaFilterModeLinear && !isFloat(format) &&
      (!reads || hasWords(format)))
    return CUresult(cudaErrorInvalidFilterSetting);
  return reads && (isFloat(format) || hasWords(format)) ? CUresult(cudaErrorInvalidNormSetting)
                                                        : CUDA_SUCCESS;
}

CUDA_TEXTURE_DESC settingsOf(const cudaTextureDesc &from) {
  CUDA_TEXTURE_DESC to = {};
  std::ranges::transform(from.addressMode, to.addressMode, [](cudaTextureAddressMode mode) {
    return static_cast<CUaddress_mode>(mode);
  });
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to.flags = (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from.sRGB ? CU_TRSF_SRGB : 0u) |
             (from.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
             (from.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  std::ranges::copy(from.borderColor, to.borderColor);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

cudaTextureDesc settingsOf(const CUDA_TEXTURE_DESC &from, CUarray_format format) {
  cudaTextureDesc to = {};
  std::ranges::transform(from.addressMode, to.addressMode, [](CUaddress_mode mode) {
    return static_cast<cudaTextureAddressMode>(mode);
  });
  const bool reads = isNormalized(format) || (isInteger(format) && !hasWords(format) &&
                                              !(from.flags & CU_TRSF_READ_AS_INTEGER));
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode = reads ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  std::ranges::copy(from.borderColor, to.borderColor);
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  to.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return to;
}

} // namespace heddle::runtime
