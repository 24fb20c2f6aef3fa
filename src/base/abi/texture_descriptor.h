// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract between the runtime, which makes texture and surface objects, and the device
// library, which samples them: a cudaTextureObject_t or cudaSurfaceObject_t is the address of a
// descriptor. The device library is part of every compiled kernel, so a change here is a change of
// KernelAbiVersion (kernel_abi.h).
//
// Everything that can be decided when the object is made is decided there, once: how a texel is
// read, whether coordinates are scaled, which address mode holds. Kernels read descriptors by loads
// that are the same in all lanes.
#pragma once

#include <stdint.h>

namespace heddle {

/// What one channel of a texel is, and what becomes of it. A sample is four words of 32 bits: the
/// bits of a float for Half and those from UNorm8 on, and where 32 bits are floats; otherwise an
/// integer, extended.
enum class TexelKind : uint32_t {
  UInt8,
  SInt8,
  UInt16,
  SInt16,
  Bits32, ///< integers and floats alike
  Half,
  UNorm8,
  SNorm8,
  UNorm16,
  SNorm16, ///< cudaReadModeNormalizedFloat
  Srgb8,   ///< the last of two or four channels is a UNorm8
};

/// cudaTextureAddressMode's numbers.
enum class AddressMode : uint32_t { Wrap = 0, Clamp = 1, Mirror = 2, Border = 3 };

/// One level of a mipmap, or all there is. Sizes count from 1.
struct TextureLevel {
  const uint8_t *data;
  uint64_t rowBytes, sliceBytes;
  int32_t width, height, depth; ///< depth: slices of a 3D texture, else layers or faces
};

enum class ResourceKind : uint32_t { Texture = 1, Surface = 2 };

/// What PTX asks of an object (txq, suq, istypep). Sizes count from 1; arraySize is that of layers and
/// faces, and depth that of the others.
struct ResourceFacts {
  ResourceKind kind;
  uint32_t width, height, depth, arraySize, levels;
  uint32_t dataType, channelOrder; ///< OpenCL's numbers, as PTX ISA has them ("Channel Data Type")
};

inline constexpr uint32_t MostTextureLevels = 18; ///< of the largest extent, 131072

struct TextureDescriptor {
  ResourceFacts facts;
  TexelKind kind;
  uint32_t channels;   ///< 1, 2 or 4
  uint32_t texelBytes; ///< of all channels
  uint32_t fastKind;   ///< of what the short paths sample (below), or 0
  uint32_t isLinear, isNormalized;
  AddressMode address[3];
  uint32_t border[4]; ///< words
  uint32_t levels, isLinearBetweenLevels;
  int32_t levelBias, leastLevel, mostLevel; ///< in 1/256
  uint32_t isSeamless;                      ///< filters a cubemap over its edges
  uint32_t isTiled;                         ///< a GPU has it as tiles: a CUDA array of rows
  const float *srgbTable;                   ///< of 256: what sRGB bytes are
  TextureLevel level[MostTextureLevels];
};

/// The paths that the device library has for one kind of texel alone, in textures of one level,
/// without border, of less than 2^31 bytes: the bytes of each channel and their number, for
/// texels that are read as they are (point), or the kind and their number for those that are
/// filtered.
constexpr uint32_t fastPointKind(uint32_t channelBytes, uint32_t channels) {
  return 0x100 | channelBytes << 4 | channels;
}
constexpr uint32_t fastLinearKind(TexelKind kind, uint32_t channels) {
  return 0x200 | static_cast<uint32_t>(kind) << 4 | channels;
}

/// What a cudaSurfaceObject_t is the address of. Sizes count from 1.
struct SurfaceDescriptor {
  ResourceFacts facts;
  uint8_t *data;
  uint64_t rowBytes, sliceBytes;
  int32_t rows, slices; ///< slices: of a 3D surface, or layers or faces
};

} // namespace heddle
