// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of texels and descriptions of textures, which both APIs have in words of their own. The
// driver keeps them as the runtime API has them, and the runtime tells it the driver API's: both
// convert, in both directions. Enumerators that are cast have the same numbers in both APIs.
#pragma once

#include "driver_types.h"
#include "heddle/driver_types.h"
#include "texture_types.h"

#include <algorithm>

namespace heddle {

// ---------------------------------------------------------------------------------------------------
// Formats.

struct PlainFormat {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};
inline constexpr PlainFormat PlainFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

/// Formats that both APIs number in the same order.
struct NumberedFormats {
  CUarray_format format;
  cudaChannelFormatKind first, last;

  constexpr bool holds(cudaChannelFormatKind kind) const { return kind >= first && kind <= last; }
  constexpr bool holds(CUarray_format other) const {
    return other >= format && other - format <= last - first;
  }
  constexpr CUarray_format formatOf(cudaChannelFormatKind kind) const {
    return static_cast<CUarray_format>(format + (kind - first));
  }
  constexpr cudaChannelFormatKind kindOf(CUarray_format other) const {
    return static_cast<cudaChannelFormatKind>(first + (other - format));
  }
};
inline constexpr NumberedFormats NormalizedFormats = {CU_AD_FORMAT_UNORM_INT8X1,
                                                      cudaChannelFormatKindUnsignedNormalized8X1,
                                                      cudaChannelFormatKindSignedNormalized16X4};
inline constexpr NumberedFormats CompressedFormats = {
    CU_AD_FORMAT_BC1_UNORM, cudaChannelFormatKindUnsignedBlockCompressed1,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB};
static_assert(NormalizedFormats.formatOf(cudaChannelFormatKindSignedNormalized16X4) ==
              CU_AD_FORMAT_SNORM_INT16X4);
static_assert(CompressedFormats.formatOf(cudaChannelFormatKindUnsignedBlockCompressed7SRGB) ==
              CU_AD_FORMAT_BC7_UNORM_SRGB);

/// Normalized formats: three of 8 bits with 1, 2 and 4 channels, three of 16, and the same with a
/// sign.
constexpr int normalizedBits(CUarray_format format) {
  return (format - NormalizedFormats.format) / 3 % 2 ? 16 : 8;
}
constexpr unsigned normalizedChannels(CUarray_format format) {
  return 1u << (format - NormalizedFormats.format) % 3;
}

/// `channels` of `bits` bits.
constexpr cudaChannelFormatDesc uniformFormat(int bits, unsigned channels,
                                              cudaChannelFormatKind kind) {
  auto bitsOf = [&](unsigned channel) { return channel < channels ? bits : 0; };
  return {bitsOf(0), bitsOf(1), bitsOf(2), bitsOf(3), kind};
}

// ---------------------------------------------------------------------------------------------------
// Resources. `format` converts a format, and may fail.

/// `format(cudaChannelFormatDesc, CUarray_format &, unsigned &channels)`
template <class Format>
CUresult toDriver(const cudaResourceDesc &from, CUDA_RESOURCE_DESC &to, Format &&format) {
  to = {};
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
    linear.sizeInBytes = from.res.linear.sizeInBytes;
    return format(from.res.linear.desc, linear.format, linear.numChannels);
  }
  case cudaResourceTypePitch2D: {
    auto &pitched = to.res.pitch2D;
    pitched.devPtr = reinterpret_cast<CUdeviceptr>(from.res.pitch2D.devPtr);
    pitched.width = from.res.pitch2D.width;
    pitched.height = from.res.pitch2D.height;
    pitched.pitchInBytes = from.res.pitch2D.pitchInBytes;
    return format(from.res.pitch2D.desc, pitched.format, pitched.numChannels);
  }
  }
  return CUDA_SUCCESS;
}

/// `format(CUarray_format, unsigned channels, cudaChannelFormatDesc &)`
template <class Format>
CUresult toRuntime(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to, Format &&format) {
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
    to.res.linear.sizeInBytes = linear.sizeInBytes;
    return format(linear.format, linear.numChannels, to.res.linear.desc);
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    auto &pitched = from.res.pitch2D;
    to.res.pitch2D.devPtr = reinterpret_cast<void *>(pitched.devPtr);
    to.res.pitch2D.width = pitched.width;
    to.res.pitch2D.height = pitched.height;
    to.res.pitch2D.pitchInBytes = pitched.pitchInBytes;
    return format(pitched.format, pitched.numChannels, to.res.pitch2D.desc);
  }
  }
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Settings and views. To and From: the structures of the two APIs.

/// But for how texels are read, which one API has as flags.
template <class To, class From> To sameSettings(const From &from) {
  To to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] =
        static_cast<std::remove_cvref_t<decltype(to.addressMode[i])>>(from.addressMode[i]);
  to.filterMode = static_cast<decltype(to.filterMode)>(from.filterMode);
  std::ranges::copy(from.borderColor, to.borderColor);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<decltype(to.mipmapFilterMode)>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

inline CUDA_TEXTURE_DESC toDriver(const cudaTextureDesc &from, bool readsIntegers) {
  auto to = sameSettings<CUDA_TEXTURE_DESC>(from);
  to.flags = (readsIntegers ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from.sRGB ? CU_TRSF_SRGB : 0u) |
             (from.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
             (from.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  return to;
}

inline cudaTextureDesc toRuntime(const CUDA_TEXTURE_DESC &from, cudaTextureReadMode readMode) {
  auto to = sameSettings<cudaTextureDesc>(from);
  to.readMode = readMode;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return to;
}

/// Names of a view's formats are the same numbers in both.
template <class To, class From> To sameView(const From &from) {
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

} // namespace heddle
