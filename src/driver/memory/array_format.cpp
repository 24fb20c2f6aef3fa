// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/array_format.h"

#include "driver/state.h"
#include "driver/texture_structures.h"

#include <string>

namespace heddle::driver {

static bool isBetween(CUarray_format format, CUarray_format first, CUarray_format last) {
  return format >= first && format <= last;
}

CUresult channelFormat(CUarray_format format, unsigned channels, cudaChannelFormatDesc &out) {
  for (const PlainFormat &plain : PlainFormats)
    if (plain.format == format) {
      out = uniformFormat(plain.bits, channels, plain.kind);
      return channels == 1 || channels == 2 || channels == 4 ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
    }
  if (NormalizedFormats.holds(format)) {
    out = uniformFormat(normalizedBits(format), channels, NormalizedFormats.kindOf(format));
    return channels == normalizedChannels(format) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  if (CompressedFormats.holds(format)) {
    out = uniformFormat(8, channels, CompressedFormats.kindOf(format));
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
  if (NormalizedFormats.holds(format.f))
    return NormalizedFormats.formatOf(format.f);
  for (const PlainFormat &plain : PlainFormats)
    if (plain.kind == format.f && plain.bits == format.x)
      return plain.format;
  return CU_AD_FORMAT_MAX; // there is none
}

} // namespace heddle::driver
