// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what the program says of a texture to what kernels read of it.
#include "driver/memory/array.h"
#include "driver/textures/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace heddle::driver {

namespace {

/// The nearest number of 8 significant bits.
float inEightBits(double x) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return std::bit_cast<float>((bits + 0x8000) & 0xffff0000);
}

/// What an sRGB byte is in linear light (IEC 61966-2-1), as precise as an H200 gives it.
const float *srgbTable() { // constants
  static const auto *table = [] {
    auto *values = new float[256];
    for (int i = 0; i < 256; ++i) {
      const double x = i / 255.0;
      values[i] = inEightBits(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
    }
    return values;
  }();
  return table;
}

TexelKind kindOf(const cudaChannelFormatDesc &format, bool isSrgb, bool reads) {
  if (format.f == cudaChannelFormatKindFloat)
    return format.x == 32 ? TexelKind::Bits32 : TexelKind::Half;
  if (format.x == 32)
    return TexelKind::Bits32;
  const bool isSigned = isSignedFormat(format);
  if (reads && isSrgb && format.x == 8 && !isSigned)
    return TexelKind::Srgb8;
  if (reads)
    return format.x == 8 ? (isSigned ? TexelKind::SNorm8 : TexelKind::UNorm8)
                         : (isSigned ? TexelKind::SNorm16 : TexelKind::UNorm16);
  return format.x == 8 ? (isSigned ? TexelKind::SInt8 : TexelKind::UInt8)
                       : (isSigned ? TexelKind::SInt16 : TexelKind::UInt16);
}

TextureLevel levelOf(const cudaArray &array) {
  return {array.data,
          array.pitch,
          array.sliceBytes,
          static_cast<int32_t>(array.extent.width),
          static_cast<int32_t>(array.rows),
          static_cast<int32_t>(array.slices)};
}

/// The levels, or all that there is of other resources.
void describeLevels(TextureDescriptor &d, const cudaResourceDesc &resource,
                    const cudaResourceViewDesc *view) {
  const auto &linear = resource.res.linear;
  const auto &pitched = resource.res.pitch2D;
  d.levels = 1;
  switch (resource.resType) {
  case cudaResourceTypeArray:
    d.level[0] = levelOf(*resource.res.array.array);
    return;
  case cudaResourceTypeMipmappedArray: {
    const auto &levels = resource.res.mipmap.mipmap->levels;
    const size_t first = view ? view->firstMipmapLevel : 0;
    const size_t end =
        view ? std::min<size_t>(view->lastMipmapLevel + 1, levels.size()) : levels.size();
    d.levels = static_cast<uint32_t>(end - first);
    for (size_t level = first; level < end; ++level)
      d.level[level - first] = levelOf(*levels[level]);
    return;
  }
  case cudaResourceTypeLinear:
    d.level[0] = {static_cast<const uint8_t *>(linear.devPtr),
                  linear.sizeInBytes,
                  linear.sizeInBytes,
                  static_cast<int32_t>(linear.sizeInBytes / texelBytes(linear.desc)),
                  1,
                  1};
    return;
  case cudaResourceTypePitch2D:
    d.level[0] = {static_cast<const uint8_t *>(pitched.devPtr), pitched.pitchInBytes,
                  pitched.pitchInBytes * pitched.height,        static_cast<int32_t>(pitched.width),
                  static_cast<int32_t>(pitched.height),         1};
    return;
  }
}

/// A view of some layers.
void chooseLayers(TextureDescriptor &d, const cudaArray &base, const cudaResourceViewDesc &view) {
  if (!(base.flags & cudaArrayLayered))
    return;
  const unsigned faces = base.flags & cudaArrayCubemap ? 6 : 1;
  for (uint32_t i = 0; i < d.levels; ++i) {
    d.level[i].data += view.firstLayer * faces * d.level[i].sliceBytes;
    d.level[i].depth = static_cast<int32_t>((view.lastLayer - view.firstLayer + 1) * faces);
  }
}

int32_t inLevelSteps(float level) {
  return static_cast<int32_t>(std::floor(std::clamp(level, -64.0f, 64.0f) * 256));
}

void describeLevelChoice(TextureDescriptor &d, const cudaTextureDesc &settings) {
  const int32_t last = static_cast<int32_t>(d.levels - 1) * 256;
  d.isLinearBetweenLevels = d.levels > 1 && settings.mipmapFilterMode == cudaFilterModeLinear;
  d.levelBias = inLevelSteps(settings.mipmapLevelBias);
  d.leastLevel = std::clamp(inLevelSteps(settings.minMipmapLevelClamp), 0, last);
  d.mostLevel = std::clamp(inLevelSteps(settings.maxMipmapLevelClamp), d.leastLevel, last);
}

/// Wrap and mirror are for normalized coordinates (CUDA C++ Programming Guide, "Texture Object
/// API"). On a cubemap's faces coordinates are always normalized.
void describeAddresses(TextureDescriptor &d, const cudaTextureDesc &settings, bool isCube) {
  d.isNormalized = isCube || settings.normalizedCoords != 0;
  for (int i = 0; i < 3; ++i) {
    const auto mode = static_cast<AddressMode>(settings.addressMode[i]);
    const bool needsNormalized = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
    d.address[i] = needsNormalized && !d.isNormalized ? AddressMode::Clamp : mode;
  }
}

/// The border as a sample's words: floats are floats, of integers the low bits count.
void describeBorder(TextureDescriptor &d, const cudaTextureDesc &settings) {
  for (uint32_t i = 0; i < 4; ++i)
    d.border[i] = i < d.channels ? std::bit_cast<uint32_t>(settings.borderColor[i]) : 0;
}

uint32_t fastKindOf(const TextureDescriptor &d, int dimensions) {
  const TextureLevel &l = d.level[0];
  const uint64_t bytes = l.sliceBytes * static_cast<uint64_t>(l.depth);
  const auto *end = d.address + dimensions;
  const bool hasBorder = std::find(d.address, end, AddressMode::Border) != end;
  if (d.levels > 1 || d.isSeamless || hasBorder || (dimensions > 0 && bytes >= uint64_t(1) << 31))
    return 0;
  if (d.isLinear)
    return d.kind == TexelKind::Bits32 || d.kind == TexelKind::UNorm8
               ? fastLinearKind(d.kind, d.channels)
               : 0;
  return d.kind <= TexelKind::Bits32 ? fastPointKind(d.texelBytes / d.channels, d.channels) : 0;
}

/// OpenCL's numbers of channels' types.
uint32_t dataTypeOf(const cudaChannelFormatDesc &format) {
  enum : uint32_t {
    Snorm8 = 0x10d0,
    Unorm8 = 0x10d2,
    Signed8 = 0x10d7,
    Unsigned8 = 0x10da,
    Half = 0x10dd
  };
  if (format.f == cudaChannelFormatKindFloat)
    return Half + (format.x == 32);
  const uint32_t size = format.x == 8 ? 0 : format.x == 16 ? 1 : 2;
  const bool isSigned = isSignedFormat(format);
  if (isNormalizedFormat(format))
    return (isSigned ? Snorm8 : Unorm8) + size;
  return (isSigned ? Signed8 : Unsigned8) + size;
}

/// R, RG, RGBA.
uint32_t channelOrderOf(uint32_t channels) {
  return channels == 1 ? 0x10b0 : channels == 2 ? 0x10b2 : 0x10b5;
}

ResourceFacts factsOf(ResourceKind kind, const cudaChannelFormatDesc &format, int32_t width,
                      int32_t height, int32_t slices, bool areLayers, uint32_t levels) {
  const auto count = static_cast<uint32_t>(slices);
  return {.kind = kind,
          .width = static_cast<uint32_t>(width),
          .height = static_cast<uint32_t>(height),
          .depth = areLayers ? 1 : count,
          .arraySize = areLayers ? count : 1,
          .levels = levels,
          .dataType = dataTypeOf(format),
          .channelOrder = channelOrderOf(channelsOf(format))};
}

bool hasLayers(const cudaArray &array) {
  return array.flags & (cudaArrayLayered | cudaArrayCubemap);
}

} // namespace

TextureDescriptor describeTexture(const cudaResourceDesc &resource, const cudaTextureDesc &settings,
                                  const cudaResourceViewDesc *view) {
  TextureDescriptor d = {};
  cudaChannelFormatDesc format = formatOf(resource);
  const cudaArray *base = baseArray(resource);
  describeLevels(d, resource, base ? view : nullptr);
  if (view && base) {
    formatOfView(view->format, format);
    chooseLayers(d, *base, *view);
  }
  const bool isCube = base && base->flags & cudaArrayCubemap;
  const bool isLinearMemory = resource.resType == cudaResourceTypeLinear;
  d.kind = kindOf(format, settings.sRGB != 0,
                  settings.readMode == cudaReadModeNormalizedFloat || isNormalizedFormat(format));
  d.channels = channelsOf(format);
  d.texelBytes = static_cast<uint32_t>(texelBytes(format));
  d.isLinear = settings.filterMode == cudaFilterModeLinear && !isLinearMemory;
  d.isSeamless = isCube && settings.seamlessCubemap && d.isLinear;
  d.isTiled = base && d.level[0].height > 1;
  d.srgbTable = srgbTable();
  describeAddresses(d, settings, isCube);
  describeBorder(d, settings);
  describeLevelChoice(d, settings);
  const TextureLevel &first = d.level[0];
  d.facts = factsOf(ResourceKind::Texture, format, first.width, first.height, first.depth,
                    base && hasLayers(*base), d.levels);
  d.fastKind = fastKindOf(d, base ? base->dimensions() : isLinearMemory ? 0 : 2);
  return d;
}

SurfaceDescriptor describeSurface(const cudaArray &array) {
  const auto rows = static_cast<int32_t>(array.rows), slices = static_cast<int32_t>(array.slices);
  return {factsOf(ResourceKind::Surface, array.format, static_cast<int32_t>(array.extent.width),
                  rows, slices, hasLayers(array), 1),
          array.data,
          array.pitch,
          array.sliceBytes,
          rows,
          slices};
}

} // namespace heddle::driver
