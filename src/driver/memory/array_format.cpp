// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/array_format.h"

#include "driver/memory/channel_format.h"
#include "driver/state.h"

#include <string>

namespace heddle::driver {

namespace {

struct Plain {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};
constexpr Plain PlainFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

/// Both APIs number normalized and compressed formats in the same order.
constexpr int NormalizedOffset =
    int(CU_AD_FORMAT_UNORM_INT8X1) - int(cudaChannelFormatKindUnsignedNormalized8X1);
constexpr int CompressedOffset =
    int(CU_AD_FORMAT_BC1_UNORM) - int(cudaChannelFormatKindUnsignedBlockCompressed1);
static_assert(int(CU_AD_FORMAT_SNORM_INT16X4) - int(cudaChannelFormatKindSignedNormalized16X4) ==
              NormalizedOffset);
static_assert(int(CU_AD_FORMAT_BC7_UNORM_SRGB) -
                  int(cudaChannelFormatKindUnsignedBlockCompressed7SRGB) ==
              CompressedOffset);

bool isBetween(CUarray_format format, CUarray_format first, CUarray_format last) {
  return format >= first && format <= last;
}

cudaChannelFormatDesc channelsOf(int bits, unsigned channels, cudaChannelFormatKind kind) {
  auto bitsOf = [&](unsigned channel) { return channel < channels ? bits : 0; };
  return {bitsOf(0), bitsOf(1), bitsOf(2), bitsOf(3), kind};
}

/// Three of 8 bits with 1, 2 and 4 channels, three of 16, and the same with a sign.
CUresult normalizedFormat(CUarray_format format, unsigned channels, cudaChannelFormatDesc &out) {
  constexpr unsigned Channels[] = {1, 2, 4};
  const int number = format - CU_AD_FORMAT_UNORM_INT8X1;
  if (channels != Channels[number % 3])
    return CUDA_ERROR_INVALID_VALUE;
  out = channelsOf(number / 3 % 2 ? 16 : 8, channels,
                   static_cast<cudaChannelFormatKind>(format - NormalizedOffset));
  return CUDA_SUCCESS;
}

} // namespace

CUresult channelFormat(CUarray_format format, unsigned channels, cudaChannelFormatDesc &out) {
  for (const Plain &plain : PlainFormats)
    if (plain.format == format) {
      out = channelsOf(plain.bits, channels, plain.kind);
      return channels == 1 || channels == 2 || channels == 4 ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
    }
  if (isBetween(format, CU_AD_FORMAT_UNORM_INT8X1, CU_AD_FORMAT_SNORM_INT16X4))
    return normalizedFormat(format, channels, out);
  if (isBetween(format, CU_AD_FORMAT_BC1_UNORM, CU_AD_FORMAT_BC7_UNORM_SRGB)) {
    out = channelsOf(8, channels, static_cast<cudaChannelFormatKind>(format - CompressedOffset));
    return CUDA_SUCCESS;
  }
  const bool isOther = format == CU_AD_FORMAT_UNORM_INT_101010_2 ||
                       isBetween(format, CU_AD_FORMAT_P010, CU_AD_FORMAT_YUV444_16bit_SemiPlanar);
  if (!isOther)
    return CUDA_ERROR_INVALID_VALUE;
  reportFailure("CUDA arrays", "the format " + std::to_string(format) + " is not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUarray_format arrayFormat(const cudaChannelFormatDesc &format) {
  if (isNormalizedFormat(format))
    return static_cast<CUarray_format>(int(format.f) + NormalizedOffset);
  for (const Plain &plain : PlainFormats)
    if (plain.kind == format.f && plain.bits == format.x)
      return plain.format;
  return CU_AD_FORMAT_MAX; // there is none
}

} // namespace heddle::driver
