// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/array_format.h"

#include "driver/texture_structures.h"

namespace heddle::runtime {

namespace {

/// As many channels of `bits` bits, and nothing behind them.
bool isUniform(const cudaChannelFormatDesc &f, unsigned channels, int bits) {
  const int each[] = {f.x, f.y, f.z, f.w};
  for (unsigned i = 0; i < 4; ++i)
    if (each[i] != (i < channels ? bits : 0))
      return false;
  return true;
}

unsigned channelsOf(const cudaChannelFormatDesc &f) {
  return unsigned(f.x != 0) + unsigned(f.y != 0) + unsigned(f.z != 0) + unsigned(f.w != 0);
}

} // namespace

CUresult arrayFormat(const cudaChannelFormatDesc &f, CUarray_format &format, unsigned &channels) {
  constexpr auto Invalid = CUresult(cudaErrorInvalidChannelDescriptor);
  if (f.f == cudaChannelFormatKindNV12)
    return CUDA_ERROR_INVALID_VALUE;
  channels = channelsOf(f);
  if (CompressedFormats.holds(f.f)) {
    format = CompressedFormats.formatOf(f.f);
    return CUDA_SUCCESS;
  }
  if (NormalizedFormats.holds(f.f)) {
    format = NormalizedFormats.formatOf(f.f);
    return isUniform(f, normalizedChannels(format), normalizedBits(format)) ? CUDA_SUCCESS
                                                                            : Invalid;
  }
  if ((channels != 1 && channels != 2 && channels != 4) || !isUniform(f, channels, f.x))
    return Invalid;
  for (const PlainFormat &plain : PlainFormats)
    if (plain.kind == f.f && plain.bits == f.x) {
      format = plain.format;
      return CUDA_SUCCESS;
    }
  return Invalid;
}

cudaChannelFormatDesc channelFormat(CUarray_format format, unsigned channels) {
  for (const PlainFormat &plain : PlainFormats)
    if (plain.format == format)
      return uniformFormat(plain.bits, channels, plain.kind);
  if (NormalizedFormats.holds(format))
    return uniformFormat(normalizedBits(format), channels, NormalizedFormats.kindOf(format));
  if (CompressedFormats.holds(format))
    return uniformFormat(8, channels, CompressedFormats.kindOf(format));
  return uniformFormat(0, 0, cudaChannelFormatKindNone);
}

size_t elementBytes(CUarray_format format, unsigned channels) {
  return static_cast<size_t>(channelFormat(format, channels).x) / 8 * channels;
}

CUresult arrayDescriptor(const cudaChannelFormatDesc &format, const cudaExtent &extent,
                         unsigned flags, CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  descriptor = {};
  descriptor.Width = extent.width;
  descriptor.Height = extent.height;
  descriptor.Depth = extent.depth;
  descriptor.Flags = flags;
  return arrayFormat(format, descriptor.Format, descriptor.NumChannels);
}

CUresult describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  return ask<&Cu::cuArray3DGetDescriptor_v2>(&descriptor, handleOf(array));
}

} // namespace heddle::runtime
