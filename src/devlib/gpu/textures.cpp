// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texture functions (include/heddle/texture_functions.h) as a GPU's instructions: a texture object
// is the driver's own handle there (PTX ISA, "Texture Instructions"). `wanted` and `shape` are
// constants at each call: the bits that devlib/textures/texture.cpp reads.
#include "devlib/devlib.h"

using namespace heddle::devlib;

namespace {

struct Words {
  u32 x, y, z, w;
};

/// Of floats the bits are wanted, of integers all 32 bits.
#define SAMPLE(name, text, parameters, ...)                                                        \
  inline Words name(u64 object, bool isFloat, HEDDLE_LIST parameters) {                            \
    Words v;                                                                                       \
    if (isFloat)                                                                                   \
      asm("tex" text ".v4.f32." COORDINATES : RESULTS : "l"(object), __VA_ARGS__);                 \
    else                                                                                           \
      asm("tex" text ".v4.u32." COORDINATES : RESULTS : "l"(object), __VA_ARGS__);                 \
    return v;                                                                                      \
  }
#define HEDDLE_LIST(...) __VA_ARGS__
#define RESULTS "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)

#define COORDINATES "s32 {%0, %1, %2, %3}, [%4, {%5}];"
SAMPLE(fetch1, ".1d", (i32 x), "r"(x))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5}];"
SAMPLE(sample1, ".1d", (float x), "f"(x))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
SAMPLE(sample2, ".2d", (float x, float y), "f"(x), "f"(y))
SAMPLE(sampleLayer1, ".a1d", (i32 layer, float x), "r"(layer), "f"(x))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
SAMPLE(sample3, ".3d", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
SAMPLE(sampleCube, ".cube", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
SAMPLE(sampleLayer2, ".a2d", (i32 layer, float x, float y), "r"(layer), "f"(x), "f"(y))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];"
SAMPLE(sampleLayerCube, ".acube", (i32 layer, float x, float y, float z), "r"(layer), "f"(x),
       "f"(y), "f"(z))
#undef COORDINATES

// At a level of detail.
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5}], %6;"
SAMPLE(level1, ".level.1d", (float x, float level), "f"(x), "f"(level))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"
SAMPLE(level2, ".level.2d", (float x, float y, float level), "f"(x), "f"(y), "f"(level))
SAMPLE(levelLayer1, ".level.a1d", (i32 layer, float x, float level), "r"(layer), "f"(x), "f"(level))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;"
SAMPLE(level3, ".level.3d", (float x, float y, float z, float level), "f"(x), "f"(y), "f"(z),
       "f"(level))
SAMPLE(levelCube, ".level.cube", (float x, float y, float z, float level), "f"(x), "f"(y), "f"(z),
       "f"(level))
SAMPLE(levelLayer2, ".level.a2d", (i32 layer, float x, float y, float level), "r"(layer), "f"(x),
       "f"(y), "f"(level))
#undef COORDINATES
#define COORDINATES "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}], %9;"
SAMPLE(levelLayerCube, ".level.acube", (i32 layer, float x, float y, float z, float level),
       "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))
#undef COORDINATES

/// In units of texels; of an array, its first level.
float extentOf(u64 object, u32 axis) {
  u32 extent;
  if (axis == 0)
    asm("txq.width.b32 %0, [%1];" : "=r"(extent) : "l"(object));
  else if (axis == 1)
    asm("txq.height.b32 %0, [%1];" : "=r"(extent) : "l"(object));
  else
    asm("txq.depth.b32 %0, [%1];" : "=r"(extent) : "l"(object));
  return extent ? (float)extent : 1.0f;
}

float squared(float x) { return x * x; }

bool wantsFloat(u32 wanted) { return wanted >> 8 & 1; }

} // namespace

#define HEDDLE_TEXTURE extern "C" __attribute__((pure, nothrow, always_inline))

HEDDLE_TEXTURE Words __heddle_texture_fetch(u64 object, u32 wanted, i32 x) {
  return fetch1(object, wantsFloat(wanted), x);
}

HEDDLE_TEXTURE Words __heddle_texture(u64 object, u32 wanted, u32 shape, float x, float y, float z,
                                      i32 layer) {
  const bool isFloat = wantsFloat(wanted);
  switch (shape) {
  case 1:
    return sample1(object, isFloat, x);
  case 2:
    return sample2(object, isFloat, x, y);
  case 3:
    return sample3(object, isFloat, x, y, z);
  case 5:
    return sampleLayer1(object, isFloat, layer, x);
  case 6:
    return sampleLayer2(object, isFloat, layer, x, y);
  case 11:
    return sampleCube(object, isFloat, x, y, z);
  default:
    return sampleLayerCube(object, isFloat, layer, x, y, z);
  }
}

HEDDLE_TEXTURE Words __heddle_texture_level(u64 object, u32 wanted, u32 shape, float x, float y,
                                            float z, i32 layer, float level) {
  const bool isFloat = wantsFloat(wanted);
  switch (shape) {
  case 1:
    return level1(object, isFloat, x, level);
  case 2:
    return level2(object, isFloat, x, y, level);
  case 3:
    return level3(object, isFloat, x, y, z, level);
  case 5:
    return levelLayer1(object, isFloat, layer, x, level);
  case 6:
    return levelLayer2(object, isFloat, layer, x, y, level);
  case 11:
    return levelCube(object, isFloat, x, y, z, level);
  default:
    return levelLayerCube(object, isFloat, layer, x, y, z, level);
  }
}

/// log2 of the longer step, in texels; coordinates are normalized, as those of mipmaps must be.
HEDDLE_TEXTURE float __heddle_texture_level_of(u64 object, u32 dimensions, float xx, float xy,
                                               float xz, float yx, float yy, float yz) {
  const float w = extentOf(object, 0), h = dimensions > 1 ? extentOf(object, 1) : 0,
              d = dimensions > 2 ? extentOf(object, 2) : 0;
  const float a = squared(xx * w) + squared(xy * h) + squared(xz * d);
  const float b = squared(yx * w) + squared(yy * h) + squared(yz * d);
  float level;
  asm("lg2.approx.f32 %0, %1;" : "=f"(level) : "f"(a > b ? a : b));
  return 0.5f * level;
}
HEDDLE_TEXTURE float __heddle_texture_cube_level_of(u64 object, float x, float y, float z, float xx,
                                                    float xy, float xz, float yx, float yy,
                                                    float yz) {
  float major = absolute(x);
  major = absolute(y) > major ? absolute(y) : major;
  major = absolute(z) > major ? absolute(z) : major;
  const float scale = 0.5f / major;
  return __heddle_texture_level_of(object, 2, scale * xx, scale * xy + scale * xz, 0, scale * yx,
                                   scale * yy + scale * yz, 0);
}

// Of a gather's texels the bits are the same, whatever they are called.
#define GATHER(component, letter)                                                                  \
  case component:                                                                                  \
    asm("tld4." letter ".2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                          \
        : RESULTS                                                                                  \
        : "l"(object), "f"(x), "f"(y));                                                            \
    break;
HEDDLE_TEXTURE Words __heddle_texture_gather(u64 object, float x, float y, i32 component) {
  Words v = {};
  switch (component) {
    GATHER(0, "r")
    GATHER(1, "g")
    GATHER(2, "b")
    GATHER(3, "a")
  }
  return v;
}
