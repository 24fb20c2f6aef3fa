// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be a texture, and which error says that something may not. The manual names few of these
// errors; the rest is what an H200 answers (tests/run/texture_errors.cu).
#include "driver/textures/texture.h"

#include "driver/boards/board.h"
#include "driver/memory/array.h"

namespace heddle::driver {

namespace {

/// Memory of cudaMalloc must do, whatever cudaDeviceProp::textureAlignment says of the board.
bool isTextureMemory(const void *p) {
  return p && reinterpret_cast<uintptr_t>(p) % device::cpu::Allocator::Alignment == 0 &&
         lookUp(p).onDevice();
}

CUresult checkLinear(const cudaResourceDesc &resource) {
  const auto &linear = resource.res.linear;
  const cudaDeviceProp &p = currentContext().board->properties;
  if (!isValidFormat(linear.desc))
    return CUresult(cudaErrorInvalidChannelDescriptor);
  const size_t texels = linear.sizeInBytes / texelBytes(linear.desc);
  return isTextureMemory(linear.devPtr) && texels <= static_cast<size_t>(p.maxTexture1DLinear)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult checkPitched(const cudaResourceDesc &resource) {
  const auto &pitched = resource.res.pitch2D;
  const cudaDeviceProp &p = currentContext().board->properties;
  if (!isValidFormat(pitched.desc))
    return CUresult(cudaErrorInvalidChannelDescriptor);
  auto within = [](size_t value, int limit) { return value <= static_cast<size_t>(limit); };
  return isTextureMemory(pitched.devPtr) && pitched.pitchInBytes % p.texturePitchAlignment == 0 &&
                 within(pitched.width, p.maxTexture2DLinear[0]) &&
                 within(pitched.height, p.maxTexture2DLinear[1]) &&
                 within(pitched.pitchInBytes, p.maxTexture2DLinear[2])
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult checkResource(const cudaResourceDesc &resource) {
  switch (resource.resType) {
  case cudaResourceTypeArray:
    return isArray(resource.res.array.array) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  case cudaResourceTypeMipmappedArray:
    return isMipmap(resource.res.mipmap.mipmap) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  case cudaResourceTypeLinear:
    return checkLinear(resource);
  case cudaResourceTypePitch2D:
    return checkPitched(resource);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult checkSettings(const cudaChannelFormatDesc &format, const cudaTextureDesc &settings) {
  for (cudaTextureAddressMode mode : settings.addressMode)
    if (static_cast<unsigned>(mode) > cudaAddressModeBorder)
      return CUDA_ERROR_INVALID_VALUE;
  for (cudaTextureFilterMode mode : {settings.filterMode, settings.mipmapFilterMode})
    if (static_cast<unsigned>(mode) > cudaFilterModeLinear)
      return CUDA_ERROR_INVALID_VALUE;
  const bool reads = settings.readMode == cudaReadModeNormalizedFloat;
  if (isNormalizedFormat(format))
    return reads ? CUDA_SUCCESS : CUresult(cudaErrorInvalidNormSetting);
  const bool isFloat = format.f == cudaChannelFormatKindFloat;
  if (settings.filterMode == cudaFilterModeLinear && !isFloat && (!reads || format.x == 32))
    return CUresult(cudaErrorInvalidFilterSetting);
  return reads && (isFloat || format.x == 32) ? CUresult(cudaErrorInvalidNormSetting)
                                              : CUDA_SUCCESS;
}

/// A view is of the whole extent, in a format whose texels have as many bytes.
CUresult checkView(const cudaResourceDesc &resource, const cudaResourceViewDesc &view) {
  if (view.format >= cudaResViewFormatUnsignedBlockCompressed1 &&
      view.format <= cudaResViewFormatUnsignedBlockCompressed7) {
    reportFailure("textures", "block-compressed ones are not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const bool isMipmapped = resource.resType == cudaResourceTypeMipmappedArray;
  const cudaArray &base = *baseArray(resource);
  cudaChannelFormatDesc format;
  return formatOfView(view.format, format) && texelBytes(format) == base.elementBytes &&
                 view.width == base.extent.width && view.height == base.extent.height &&
                 view.depth == base.extent.depth && view.firstMipmapLevel <= view.lastMipmapLevel &&
                 (isMipmapped ? view.firstMipmapLevel < resource.res.mipmap.mipmap->levels.size()
                              : view.lastMipmapLevel == 0) &&
                 view.firstLayer <= view.lastLayer && view.lastLayer < base.layers()
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

const cudaArray *baseArray(const cudaResourceDesc &resource) {
  return resource.resType == cudaResourceTypeArray ? resource.res.array.array
         : resource.resType == cudaResourceTypeMipmappedArray
             ? resource.res.mipmap.mipmap->levels[0].get()
             : nullptr;
}

const cudaChannelFormatDesc &formatOf(const cudaResourceDesc &resource) {
  const cudaArray *base = baseArray(resource);
  return base                                         ? base->format
         : resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc
                                                      : resource.res.pitch2D.desc;
}

CUresult checkTexture(const cudaResourceDesc &resource, const cudaTextureDesc &settings,
                      const cudaResourceViewDesc *view) {
  if (CUresult error = checkResource(resource))
    return error;
  if (CUresult error = checkSettings(formatOf(resource), settings))
    return error;
  return view && baseArray(resource) ? checkView(resource, *view) : CUDA_SUCCESS;
}

} // namespace heddle::driver
