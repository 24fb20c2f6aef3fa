// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/channel_format.h"

#include <algorithm>
#include <iterator>

namespace heddle::driver {

namespace {

/// Three formats of 1, 2 and 4 channels stand side by side.
constexpr int ChannelCounts[] = {1, 2, 4};

/// All channels of `bits` bits, and nothing behind them.
bool isUniform(const cudaChannelFormatDesc &f, int channels, int bits) {
  const int each[] = {f.x, f.y, f.z, f.w};
  for (int i = 0; i < 4; ++i)
    if (each[i] != (i < channels ? bits : 0))
      return false;
  return true;
}

bool isValidNormalized(const cudaChannelFormatDesc &f) {
  const int number = f.f - cudaChannelFormatKindUnsignedNormalized8X1;
  return isUniform(f, ChannelCounts[number % 3], number / 3 % 2 ? 16 : 8);
}

} // namespace

bool isNormalizedFormat(const cudaChannelFormatDesc &f) {
  return f.f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
         f.f <= cudaChannelFormatKindSignedNormalized16X4;
}

bool isSignedFormat(const cudaChannelFormatDesc &f) {
  return f.f == cudaChannelFormatKindSigned || (f.f >= cudaChannelFormatKindSignedNormalized8X1 &&
                                                f.f <= cudaChannelFormatKindSignedNormalized16X4);
}

uint32_t channelsOf(const cudaChannelFormatDesc &f) {
  const int bits[] = {f.x, f.y, f.z, f.w};
  return static_cast<uint32_t>(std::count_if(bits, bits + 4, [](int b) { return b != 0; }));
}

size_t texelBytes(const cudaChannelFormatDesc &f) {
  return static_cast<size_t>(f.x + f.y + f.z + f.w) / 8;
}

bool isValidFormat(const cudaChannelFormatDesc &f) {
  const auto channels = static_cast<int>(channelsOf(f));
  if (std::find(std::begin(ChannelCounts), std::end(ChannelCounts), channels) ==
          std::end(ChannelCounts) ||
      !isUniform(f, channels, f.x))
    return false;
  switch (f.f) {
  case cudaChannelFormatKindSigned:
  case cudaChannelFormatKindUnsigned:
    return f.x == 8 || f.x == 16 || f.x == 32;
  case cudaChannelFormatKindFloat:
    return f.x == 16 || f.x == 32;
  default:
    return isNormalizedFormat(f) && isValidNormalized(f);
  }
}

const char *compressionOf(const cudaChannelFormatDesc &f) {
  switch (f.f) {
  case cudaChannelFormatKindUnsignedBlockCompressed1:
  case cudaChannelFormatKindUnsignedBlockCompressed1SRGB:
    return "BC1";
  case cudaChannelFormatKindUnsignedBlockCompressed2:
  case cudaChannelFormatKindUnsignedBlockCompressed2SRGB:
    return "BC2";
  case cudaChannelFormatKindUnsignedBlockCompressed3:
  case cudaChannelFormatKindUnsignedBlockCompressed3SRGB:
    return "BC3";
  case cudaChannelFormatKindUnsignedBlockCompressed4:
  case cudaChannelFormatKindSignedBlockCompressed4:
    return "BC4";
  case cudaChannelFormatKindUnsignedBlockCompressed5:
  case cudaChannelFormatKindSignedBlockCompressed5:
    return "BC5";
  case cudaChannelFormatKindUnsignedBlockCompressed6H:
  case cudaChannelFormatKindSignedBlockCompressed6H:
    return "BC6H";
  case cudaChannelFormatKindUnsignedBlockCompressed7:
  case cudaChannelFormatKindUnsignedBlockCompressed7SRGB:
    return "BC7";
  default:
    return nullptr;
  }
}

bool formatOfView(cudaResourceViewFormat view, cudaChannelFormatDesc &format) {
  if (view < cudaResViewFormatUnsignedChar1 || view > cudaResViewFormatFloat4)
    return false;
  // In the order of cudaResourceViewFormat, each for 1, 2 and 4 channels.
  constexpr struct {
    int bits;
    cudaChannelFormatKind kind;
  } Formats[] = {{8, cudaChannelFormatKindUnsigned},  {8, cudaChannelFormatKindSigned},
                 {16, cudaChannelFormatKindUnsigned}, {16, cudaChannelFormatKindSigned},
                 {32, cudaChannelFormatKindUnsigned}, {32, cudaChannelFormatKindSigned},
                 {16, cudaChannelFormatKindFloat},    {32, cudaChannelFormatKindFloat}};
  const int number = view - cudaResViewFormatUnsignedChar1;
  const auto &[bits, kind] = Formats[number / 3];
  const int channels = ChannelCounts[number % 3];
  format = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind};
  return true;
}

} // namespace heddle::driver
