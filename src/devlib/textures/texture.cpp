// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the texture functions of include/heddle/texture_functions.h call. `object` is the address of
// a descriptor, `wanted` and `shape` are constants in every call, so that of each function what the
// call needs is left when it has been inlined. Sources: CUDA C++ Programming Guide, "Texture and
// Surface Memory", "Texture Fetching", "Texture Functions".
#include "texture_cube.h"
#include "texture_levels.h"

using namespace heddle;
using namespace heddle::devlib;

#define HEDDLE_TEXTURE extern "C" __attribute__((pure, nothrow))

namespace {

/// Of what kind a texture function's coordinates are: bits 0 to 1 how many, bit 2 whether there is
/// a layer, bit 3 whether they are a direction.
struct Shape {
  u32 code;
  u32 dimensions() const { return code & 3; }
  bool hasLayers() const { return code >> 2 & 1; }
  bool isCube() const { return code >> 3 & 1; }
};

const TextureDescriptor &descriptorOf(u64 object) {
  return *reinterpret_cast<const TextureDescriptor *>(object);
}

/// A layer below 0 is the last one, as on an H200.
i32 layerOf(i32 layer, i32 count) { return (u32)layer < (u32)count ? layer : count - 1; }

/// Coordinates as the two-dimensional functions take them, where they are a direction.
Place placeOf(const TextureDescriptor &d, Shape shape, float x, float y, float z, i32 layer) {
  if (!shape.isCube())
    return {x, y, z, shape.hasLayers() ? layerOf(layer, constant(d.level[0].depth)) : 0};
  const FacePlace p = facePlace(x, y, z);
  const i32 cube = shape.hasLayers() ? layerOf(layer, constant(d.level[0].depth) / 6) : 0;
  return {p.s, p.t, 0, 6 * cube + p.face};
}

} // namespace

// Samples of any texture at a level of detail. Kernels have these once and call them
// (simt/lower/lower_device.cpp): inlined at each call they would be most of a kernel's code, and of
// the time that it takes to compile it.
#define HEDDLE_STAYS extern "C" __attribute__((pure, nothrow, noinline, cold))

HEDDLE_STAYS Words __heddle_texture_any1(u64 object, float x, i32 slice, float level, u32 biased) {
  const TextureDescriptor &d = descriptorOf(object);
  return sampleLevels(d, level, biased, [&](const TextureLevel &l) {
    return sampleAnyKind<1>(d, l, {x, 0, 0, slice});
  });
}

HEDDLE_STAYS Words __heddle_texture_any2(u64 object, float x, float y, i32 slice, float level,
                                         u32 biased) {
  const TextureDescriptor &d = descriptorOf(object);
  return sampleLevels(d, level, biased, [&](const TextureLevel &l) {
    return sampleAnyKind<2>(d, l, {x, y, 0, slice});
  });
}

HEDDLE_STAYS Words __heddle_texture_any3(u64 object, float x, float y, float z, float level,
                                         u32 biased) {
  const TextureDescriptor &d = descriptorOf(object);
  return sampleLevels(d, level, biased,
                      [&](const TextureLevel &l) { return sampleAnyKind<3>(d, l, {x, y, z, 0}); });
}

/// A seamless cubemap.
HEDDLE_STAYS Words __heddle_texture_any_seamless(u64 object, float s, float t, i32 slice,
                                                 float level, u32 biased) {
  const TextureDescriptor &d = descriptorOf(object);
  const i32 face = slice % 6;
  return sampleLevels(d, level, biased, [&](const TextureLevel &l) {
    return sampleOverEdges(d, l, {face, s, t}, slice - face);
  });
}

static Words sampleAny(u64 object, Shape shape, const Place &at, float level, u32 biased) {
  if (shape.isCube() && constant(descriptorOf(object).isSeamless))
    return __heddle_texture_any_seamless(object, at.x, at.y, at.slice, level, biased);
  switch (shape.isCube() ? 2 : shape.dimensions()) {
  case 1:
    return __heddle_texture_any1(object, at.x, at.slice, level, biased);
  case 2:
    return __heddle_texture_any2(object, at.x, at.y, at.slice, level, biased);
  default:
    return __heddle_texture_any3(object, at.x, at.y, at.z, level, biased);
  }
}

/// By the short paths, if there is one.
static bool sampleShortly(const TextureDescriptor &d, Shape shape, Wanted wanted, const Place &at,
                          Words &result) {
  switch (shape.isCube() ? 2 : shape.dimensions()) {
  case 1:
    return sampleShortly<1>(d, d.level[0], wanted, at, result);
  case 2:
    return sampleShortly<2>(d, d.level[0], wanted, at, result);
  default:
    return sampleShortly<3>(d, d.level[0], wanted, at, result);
  }
}

/// Where a GPU has a texel, for who counts. Its arrays are tiles of 64 bytes in 8 rows, in which 32
/// bytes are 16 of two rows (envytools, "Tesla VRAM layout"; Tegra X1 TRM, "Block Linear").
static u64 tiledPlace(const TextureDescriptor &d, const TextureLevel &l, i32 x, i32 y, i32 slice) {
  const u64 data = (u64)constant(l.data), byte = (u64)(u32)x * constant(d.texelBytes);
  if (!constant(d.isTiled))
    return data + byte + (u64)(u32)y * constant(l.rowBytes) +
           (u64)(u32)slice * constant(l.sliceBytes);
  const u64 tilesOfRow = ((u64)(u32)constant(l.width) * constant(d.texelBytes) + 63) / 64;
  const u64 tilesOfColumn = ((u64)(u32)constant(l.height) + 7) / 8, row = (u64)(u32)y;
  const u64 tile = ((u64)(u32)slice * tilesOfColumn + row / 8) * tilesOfRow + byte / 64;
  return data + tile * 512 + byte % 64 / 32 * 256 + row % 8 / 2 * 64 + byte % 32 / 16 * 32 +
         row % 2 * 16 + byte % 16;
}

/// The first texel of a sample of the functions below: of filtered ones the others lie around it.
HEDDLE_TEXTURE u64 __heddle_texture_place(u64 object, u32 shapeCode, float x, float y, float z,
                                          i32 layer, float level) {
  const TextureDescriptor &d = descriptorOf(object);
  const Shape shape = {shapeCode};
  const Place at = placeOf(d, shape, x, y, z, layer);
  const i32 last = (i32)constant(d.levels) - 1;
  const TextureLevel &l = d.level[lesser(levelTap(d, level, true).first, last)];
  const u32 dimensions = shape.isCube() ? 2 : shape.dimensions();
  const bool isLinear = constant(d.isLinear);
  auto texel = [&](u32 axis, i32 extent, float coordinate) {
    return dimensions > axis ? anyTap(d, axis, extent, coordinate, isLinear).first : 0;
  };
  const i32 slice = dimensions > 2 ? texel(2, constant(l.depth), at.z) : at.slice;
  return tiledPlace(d, l, texel(0, constant(l.width), at.x), texel(1, constant(l.height), at.y),
                    slice);
}

/// The same of tex1Dfetch.
HEDDLE_TEXTURE u64 __heddle_texture_fetch_place(u64 object, i32 x) {
  const TextureDescriptor &d = descriptorOf(object);
  const i32 last = constant(d.level[0].width) - 1;
  const u64 texel = (u32)lesser(greater(x, 0), last);
  return (u64)constant(d.level[0].data) + texel * constant(d.texelBytes);
}

/// tex1Dfetch: a texel of linear memory by its index; zeros outside.
HEDDLE_TEXTURE Words __heddle_texture_fetch(u64 object, u32 wantedCode, i32 x) {
  const TextureDescriptor &d = descriptorOf(object);
  const Wanted wanted = {wantedCode};
  const u8 *data = constant(d.level[0].data);
  if ((u32)x >= (u32)constant(d.level[0].width))
    return {0, 0, 0, 0};
  const u32 bytes = wanted.channelBytes(), n = wanted.channels();
  if (constant(d.fastKind) == fastPointKind(bytes, n))
    return rawTexel(data + (i64)x * (bytes * n), bytes, n);
  return finished(d, anyTexel(d, data + (i64)x * constant(d.texelBytes), n));
}

/// What a byte of sRGB is, for code that has read the texel.
HEDDLE_TEXTURE float __heddle_texture_srgb(u64 object, u32 byte) {
  return constant(constant(descriptorOf(object).srgbTable)[byte]);
}

/// tex1D, tex2D, tex3D, their layered forms, texCubemap and texCubemapLayered.
HEDDLE_TEXTURE Words __heddle_texture(u64 object, u32 wantedCode, u32 shapeCode, float x, float y,
                                      float z, i32 layer) {
  const TextureDescriptor &d = descriptorOf(object);
  const Shape shape = {shapeCode};
  const Place at = placeOf(d, shape, x, y, z, layer);
  Words result;
  if (sampleShortly(d, shape, {wantedCode}, at, result))
    return result;
  return sampleAny(object, shape, at, 0, false);
}

/// The same at a level of detail (*Lod).
HEDDLE_TEXTURE Words __heddle_texture_level(u64 object, u32, u32 shapeCode, float x, float y,
                                            float z, i32 layer, float level) {
  const TextureDescriptor &d = descriptorOf(object);
  const Shape shape = {shapeCode};
  return sampleAny(object, shape, placeOf(d, shape, x, y, z, layer), level, true);
}

/// The level of detail for two steps of the coordinates (*Grad).
HEDDLE_TEXTURE float __heddle_texture_level_of(u64 object, u32 dimensions, float xx, float xy,
                                               float xz, float yx, float yy, float yz) {
  const TextureLevel &l = descriptorOf(object).level[0];
  const float width = (float)constant(l.width);
  const float height = dimensions > 1 ? (float)constant(l.height) : 0;
  const float depth = dimensions > 2 ? (float)constant(l.depth) : 0;
  xx *= width, xy *= height, xz *= depth;
  yx *= width, yy *= height, yz *= depth;
  return levelOfSteps(xx * xx + xy * xy + xz * xz, yx * yx + yy * yy + yz * yz,
                      xx * yx + xy * yy + xz * yz);
}

/// The same for steps of a direction: how far they go on the direction's face.
HEDDLE_TEXTURE float __heddle_texture_cube_level_of(u64 object, float x, float y, float z, float xx,
                                                    float xy, float xz, float yx, float yy,
                                                    float yz) {
  const TextureLevel &l = descriptorOf(object).level[0];
  const FaceStep stepX = faceStep(x, y, z, xx, xy, xz), stepY = faceStep(x, y, z, yx, yy, yz);
  const float extent = (float)constant(l.width), square = extent * extent;
  return levelOfSteps(square * (stepX.s * stepX.s + stepX.t * stepX.t),
                      square * (stepY.s * stepY.s + stepY.t * stepY.t),
                      square * (stepX.s * stepY.s + stepX.t * stepY.t));
}

/// tex2Dgather: a channel of the four texels that a filtered sample lies between, from the one at
/// the left of the lower row round to the one above it.
HEDDLE_TEXTURE Words __heddle_texture_gather(u64 object, float x, float y, i32 component) {
  const TextureDescriptor &d = descriptorOf(object);
  const TextureLevel &l = d.level[0];
  const Tap column = anyTap(d, 0, constant(l.width), x, true);
  const Tap row = anyTap(d, 1, constant(l.height), y, true);
  const u32 texelBytes = constant(d.texelBytes);
  const u32 c = (u32)component & 3;
  auto channel = [&](i32 i, bool iIn, i32 j, bool jIn) -> u32 {
    if (!(iIn && jIn))
      return constant(d.border[c]);
    if (c >= constant(d.channels))
      return 0;
    const u32 word = channelWord(d, constant(d.kind), texelAt(l, texelBytes, i, j, 0), c);
    return finished(d, {word, 0, 0, 0}).x;
  };
  return {channel(column.first, column.firstIn, row.second, row.secondIn),
          channel(column.second, column.secondIn, row.second, row.secondIn),
          channel(column.second, column.secondIn, row.first, row.firstIn),
          channel(column.first, column.firstIn, row.first, row.firstIn)};
}
