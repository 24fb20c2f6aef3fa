// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a coordinate to texels along one axis, and from two or three axes to weights: CUDA C++
// Programming Guide, "Texture Fetching". Without filtering a sample at x is texel floor(x). With
// it, it lies between texels i and i + 1, where i = floor(x - 0.5), and the second one's weight is
// what is left, as a fixed-point number with 8 bits of fraction. A normalized coordinate is folded
// into [0, 1] first (wrap, mirror), then scaled by the extent.
//
// What the guide leaves open is as an H200 has it (tests/run/Inputs/texture_samples.txt): the
// fraction is rounded, half up; the products of fractions are rounded to 8 bits in the order of the
// axes, so that all weights add up to 1; of a normalized coordinate the bits behind the 21st are
// dropped, more of it counts in large textures; one that is no number is
// 0; mirror is of texels' indices.
#pragma once

#include "base/abi/texture_descriptor.h"
#include "devlib/devlib.h"
#include "devlib/native.h"
#include "texture_texels.h"

namespace heddle::devlib {

/// The greater (lesser); the second for a NaN in the first: one instruction on x86.
static inline float greater(float x, float y) { return x > y ? x : y; }
static inline float lesser(float x, float y) { return x < y ? x : y; }
static inline i32 greater(i32 x, i32 y) { return x > y ? x : y; }
static inline i32 lesser(i32 x, i32 y) { return x < y ? x : y; }

/// Up to two texels along an axis.
struct Tap {
  i32 first, second;
  i32 unbounded;  ///< the first, where it would lie
  float fraction; ///< the weight of the second in 1/256: 0 to 255
  bool firstIn, secondIn;
};

/// So many steps has a normalized coordinate from 0 to 1.
static inline float stepsOf(i32 extent) {
  return extent <= 8192 ? 0x1p21f : extent <= 65536 ? 0x1p22f : 0x1p23f;
}

/// The coordinate in texels: from 0 to the extent for wrap, to twice the extent for mirror.
static inline float texelCoordinate(const TextureDescriptor &d, AddressMode mode, i32 extent,
                                    float x) {
  if (!constant(d.isNormalized))
    return x;
  const float steps = stepsOf(extent);
  x = __builtin_floorf(x * steps) * (1.0f / steps);
  if (mode == AddressMode::Wrap)
    x -= __builtin_floorf(x);
  else if (mode == AddressMode::Mirror)
    x -= 2.0f * __builtin_floorf(x * 0.5f);
  return x * (float)extent;
}

/// The texel of a sample that is not filtered, by wrap, clamp or mirror.
static inline i32 nearestTexel(AddressMode mode, float x, i32 extent) {
  const i32 last = extent - 1;
  if (mode != AddressMode::Mirror)
    return __heddle_int_of(lesser(greater(x, 0.0f), (float)last));
  const i32 texel = __heddle_int_of(lesser(greater(x, 0.0f), (float)(extent + last)));
  return texel <= last ? texel : extent + last - texel;
}

/// The texels of a filtered sample at x, which is brought between `least` and `most` first, as they
/// come.
static inline Tap tapBetween(float x, float least, float most) {
  x = lesser(greater(x, least), most);
  const i32 fixed = __heddle_int_of(__builtin_floorf(fma(x, 256.0f, -127.5f)));
  const i32 first = fixed >> 8;
  return {first, first + 1, first, (float)(fixed & 255), true, true};
}

/// The texels of a filtered sample, by wrap, clamp or mirror.
static inline Tap filterTap(AddressMode mode, float x, i32 extent) {
  const i32 last = extent - 1;
  const bool mirrors = mode == AddressMode::Mirror, wraps = mode == AddressMode::Wrap;
  Tap tap = tapBetween(x, 0.0f, (float)(mirrors ? 2 * extent : extent));
  if (mirrors) {
    tap.first = lesser(tap.first, extent + last - tap.first);
    tap.second = greater(lesser(tap.second, extent + last - tap.second), 0);
  }
  tap.first = tap.first < 0 ? (wraps ? last : 0) : tap.first;
  tap.second = tap.second > last ? (wraps ? 0 : last) : tap.second;
  return tap;
}

/// The same by border: texels that are not there lie inside too, and the flags tell.
static inline Tap borderTap(float x, i32 extent) {
  Tap tap = tapBetween(x != x ? 0.0f : x, -1.0f, (float)extent + 1.0f);
  tap.firstIn = (u32)tap.first < (u32)extent;
  tap.secondIn = (u32)tap.second < (u32)extent;
  tap.first = tap.firstIn ? tap.first : 0;
  tap.second = tap.secondIn ? tap.second : 0;
  return tap;
}

/// Of a sample that may be filtered, in any mode. Texels that lie outside count only for border.
static inline Tap anyTap(const TextureDescriptor &d, u32 axis, i32 extent, float coordinate,
                         bool isLinear) {
  const AddressMode mode = constant(d.address[axis]);
  const float x = texelCoordinate(d, mode, extent, coordinate);
  const bool isBorder = mode == AddressMode::Border;
  if (isLinear)
    return isBorder ? borderTap(x, extent) : filterTap(mode, x, extent);
  const i32 texel = nearestTexel(mode, x, extent);
  const bool isIn = !isBorder || !(x < 0.0f || x >= (float)extent);
  return {texel, texel, texel, 0, isIn, isIn};
}

/// a * b / 256, rounded, half up.
static inline float productOfFractions(float a, float b) {
  return __builtin_floorf(fma(a, b * (1.0f / 256.0f), 0.5f));
}

/// The weights of the corners that a filtered sample lies between, in 1/256. Bits 0, 1 and 2 of the
/// index stand for the second texel in x, y and z.
template <u32 Dimensions> struct Weights {
  float at[1 << Dimensions];

  Weights(const Tap &x, const Tap &y, const Tap &z) {
    at[0] = 256.0f - x.fraction;
    at[1] = x.fraction;
    if constexpr (Dimensions > 1) {
      at[3] = productOfFractions(x.fraction, y.fraction);
      at[2] = y.fraction - at[3];
      at[1] -= at[3];
      at[0] -= at[2];
    }
    if constexpr (Dimensions > 2)
      for (u32 i = 0; i < 4; ++i) {
        at[4 + i] = productOfFractions(at[i], z.fraction);
        at[i] -= at[4 + i];
      }
  }
};

} // namespace heddle::devlib
