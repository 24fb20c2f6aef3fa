// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects (runtime API, "Texture Object Management", "Surface Object
// Management").
#include "runtime/textures/texture.h"

#include "driver/texture_structures.h"

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
  return toDriver(from, to, linearFormat);
}

cudaResourceDesc resourceOf(const CUDA_RESOURCE_DESC &from) {
  cudaResourceDesc to;
  toRuntime(from, to, [](CUarray_format format, unsigned channels, cudaChannelFormatDesc &out) {
    out = channelFormat(format, channels);
    return CUDA_SUCCESS;
  });
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
  return toDriver(from, from.readMode == cudaReadModeElementType);
}

cudaTextureDesc settingsOf(const CUDA_TEXTURE_DESC &from, CUarray_format format) {
  const bool reads = isNormalized(format) || (isInteger(format) && !hasWords(format) &&
                                              !(from.flags & CU_TRSF_READ_AS_INTEGER));
  return toRuntime(from, reads ? cudaReadModeNormalizedFloat : cudaReadModeElementType);
}

} // namespace heddle::runtime
