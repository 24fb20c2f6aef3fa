// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/array_format.h"

namespace heddle::runtime {

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
struct Numbered {
  CUarray_format format;
  cudaChannelFormatKind first, last;
  bool holds(cudaChannelFormatKind kind) const { return kind >= first && kind <= last; }
  bool holds(CUarray_format other) const {
    return other >= format && other - format <= last - first;
  }
};
constexpr Numbered Normalized = {CU_AD_FORMAT_UNORM_INT8X1,
                                 cudaChannelFormatKindUnsignedNormalized8X1,
                                 cudaChannelFormatKindSignedNormalized16X4};
constexpr Numbered Compressed = {CU_AD_FORMAT_BC1_UNORM,
                                 cudaChannelFormatKindUnsignedBlockCompressed1,
                                 cudaChannelFormatKindUnsignedBlockCompressed7SRGB};

CUarray_format numberOf(const Numbered &formats, cudaChannelFormatKind kind) {
  return static_cast<CUarray_format>(formats.format + (kind - formats.first));
}
cudaChannelFormatKind kindOf(const Numbered &formats, CUarray_format format) {
  return static_cast<cudaChannelFormatKind>(formats.first + (format - formats.format));
}

/// Three of 8 bits with 1, 2 and 4 channels, three of 16, and the same with a sign.
int normalizedBits(CUarray_format format) { return (format - Normalized.format) / 3 % 2 ? 16 : 8; }
unsigned normalizedChannels(CUarray_format format) {
  return 1u << (format - Normalized.format) % 3;
}

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

cudaChannelFormatDesc channelsOf(int bits, unsigned channels, cudaChannelFormatKind kind) {
  auto bitsOf = [&](unsigned channel) { return channel < channels ? bits : 0; };
  return {bitsOf(0), bitsOf(1), bitsOf(2), bitsOf(3), kind};
}

} // namespace

CUresult arrayFormat(const cudaChannelFormatDesc &f, CUarray_format &format, unsigned &channels) {
  constexpr auto Invalid = CUresult(cudaErrorInvalidChannelDescriptor);
  if (f.f == cudaChannelFormatKindNV12)
    return CUDA_ERROR_INVALID_VALUE;
  channels = channelsOf(f);
  if (Compressed.holds(f.f)) {
    format = numberOf(Compressed, f.f);
    return CUDA_SUCCESS;
  }
  if (Normalized.holds(f.f)) {
    format = numberOf(Normalized, f.f);
    return isUniform(f, normalizedChannels(format), normalizedBits(format)) ? CUDA_SUCCESS
                                                                            : Invalid;
  }
  if ((channels != 1 && channels != 2 && channels != 4) || !isUniform(f, channels, f.x))
    return Invalid;
  for (const Plain &plain : PlainFormats)
    if (plain.kind == f.f && plain.bits == f.x) {
      format = plain.format;
      return CUDA_SUCCESS;
    }
  return Invalid;
}

cudaChannelFormatDesc channelFormat(CUarray_format format, unsigned channels) {
  for (const Plain &plain : PlainFormats)
    if (plain.format == format)
      return channelsOf(plain.bits, channels, plain.kind);
  if (Normalized.holds(format))
    return channelsOf(normalizedBits(format), channels, kindOf(Normalized, format));
  if (Compressed.holds(format))
    return channelsOf(8, channels, kindOf(Compressed, format));
  return channelsOf(0, 0, cudaChannelFormatKindNone);
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
