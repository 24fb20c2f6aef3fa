// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sample of one level of a texture, in one, two or three dimensions.
//
// There are two ways. What programs do most (texels that the program takes as they lie in memory;
// filtered floats and bytes; no border; less than 2 GiB) goes by straight code for the one kind of
// texel that was asked for, with offsets of
// 32 bits, so that the loads of a warp are gathers. Everything else goes by `sampleAnyKind`, a loop
// over the texels that contribute with one load for all kinds in it: kernels have it once for each
// texture function that they call, so it must be small. Which way is taken is the descriptor's
// decision (fastKind), the same in all lanes.
//
// Rejected: to call the second way as a function that stays one, by a pointer: its arguments would
// be passed in memory, and what is known of them would be lost.
#pragma once

#include "texture_coordinates.h"

namespace heddle::devlib {

/// What the caller wants, a constant in every call: bits 0 to 3 how many channels, 4 to 7 the bytes
/// of each as the program's type has them, 8 whether these are floats.
struct Wanted {
  u32 code;
  u32 channels() const { return code & 15; }
  u32 channelBytes() const { return code >> 4 & 15; }
  bool isFloat() const { return code >> 8 & 1; }
};

/// A coordinate in each dimension, and which slices the sample lies in (layers, faces).
struct Place {
  float x, y, z;
  i32 slice;
};

static inline const u8 *texelAt(const TextureLevel &l, u32 texelBytes, i32 x, i32 y, i32 slice) {
  return constant(l.data) + (i64)slice * (i64)constant(l.sliceBytes) +
         (i64)y * (i64)constant(l.rowBytes) + (i64)x * texelBytes;
}

template <u32 Dimensions>
static inline Words sampleAnyKind(const TextureDescriptor &d, const TextureLevel &l,
                                  const Place &at) {
  const bool isLinear = constant(d.isLinear);
  const Tap x = anyTap(d, 0, constant(l.width), at.x, isLinear);
  const Tap y = Dimensions > 1 ? anyTap(d, 1, constant(l.height), at.y, isLinear) : Tap();
  const Tap z = Dimensions > 2 ? anyTap(d, 2, constant(l.depth), at.z, isLinear) : Tap();
  const Weights<Dimensions> weights(x, y, z);
  const u32 corners = isLinear ? 1u << Dimensions : 1;
  const u32 texelBytes = constant(d.texelBytes);
  Floats sum = {-0.0f, -0.0f, -0.0f, -0.0f};
  Words texel;
#pragma clang loop unroll(disable)
  for (u32 corner = 0; corner < corners; ++corner) {
    const bool right = corner & 1, below = corner & 2, behind = corner & 4;
    bool inside = right ? x.secondIn : x.firstIn;
    i32 row = 0, slice = at.slice;
    if constexpr (Dimensions > 1) {
      inside &= below ? y.secondIn : y.firstIn;
      row = below ? y.second : y.first;
    }
    if constexpr (Dimensions > 2) {
      inside &= behind ? z.secondIn : z.firstIn;
      slice = behind ? z.second : z.first;
    }
    texel = anyTexel(d, texelAt(l, texelBytes, right ? x.second : x.first, row, slice), 4);
    if (!inside)
      texel = {constant(d.border[0]), constant(d.border[1]), constant(d.border[2]),
               constant(d.border[3])};
    float weight = weights.at[0];
    for (u32 i = 1; i < 1u << Dimensions; ++i)
      weight = corner == i ? weights.at[i] : weight;
    // Scaled first: a sum of texels near the largest float is finite.
    sum = addWeighted(1.0f / 256.0f * weight, floats(texel), sum);
  }
  return finished(d, isLinear ? bits(sum) : texel);
}

/// At which offsets rows begin that the short paths read.
struct Rows {
  const u8 *data;
  i32 rowBytes, sliceBytes;
  i32 slice; ///< offset of the layer or face
  i32 at(i32 y, i32 z) const { return z * sliceBytes + y * rowBytes + slice; }
};

template <u32 Dimensions>
static inline Words samplePoint(const TextureDescriptor &d, const TextureLevel &l, const Rows &rows,
                                Wanted wanted, const Place &at) {
  auto texel = [&](u32 axis, i32 extent, float x) {
    const AddressMode mode = constant(d.address[axis]);
    return nearestTexel(mode, texelCoordinate(d, mode, extent, x), extent);
  };
  const i32 x = texel(0, constant(l.width), at.x);
  const i32 y = Dimensions > 1 ? texel(1, constant(l.height), at.y) : 0;
  const i32 z = Dimensions > 2 ? texel(2, constant(l.depth), at.z) : 0;
  const u32 bytes = wanted.channelBytes(), n = wanted.channels();
  return rawTexel(rows.data + (rows.at(y, z) + x * (i32)(bytes * n)), bytes, n);
}

/// 256 times the sample, if it is finite.
template <u32 Dimensions, class Texels>
static inline Floats sampleLinear(const TextureDescriptor &d, const TextureLevel &l,
                                  const Rows &rows, Wanted wanted, const Place &at) {
  auto tapOf = [&](u32 axis, i32 extent, float x) {
    const AddressMode mode = constant(d.address[axis]);
    return filterTap(mode, texelCoordinate(d, mode, extent, x), extent);
  };
  const u32 bytes = Texels::ChannelBytes, n = wanted.channels();
  const i32 texelBytes = (i32)(bytes * n);
  const Tap x = tapOf(0, constant(l.width), at.x);
  const Tap y = Dimensions > 1 ? tapOf(1, constant(l.height), at.y) : Tap();
  const Tap z = Dimensions > 2 ? tapOf(2, constant(l.depth), at.z) : Tap();
  const Weights<Dimensions> weights(x, y, z);
  Floats sum = {-0.0f, -0.0f, -0.0f, -0.0f};
#pragma clang loop unroll(full)
  for (u32 corner = 0; corner < 1u << Dimensions; ++corner) {
    const i32 row = rows.at(Dimensions < 2 ? 0
                            : corner & 2   ? y.second
                                           : y.first,
                            Dimensions < 3 ? 0
                            : corner & 4   ? z.second
                                           : z.first);
    const i32 texel = row + (corner & 1 ? x.second : x.first) * texelBytes;
    const Floats v = Texels::of(rawTexel(rows.data + texel, bytes, n));
    const float weight = weights.at[corner];
    sum = {fma(weight, v.x, sum.x), fma(weight, v.y, sum.y), fma(weight, v.z, sum.z),
           fma(weight, v.w, sum.w)};
  }
  return sum;
}

/// A sum of weighted bytes, a whole number, over 255 * 256: rounded as by a division, which would
/// take longer.
static inline float ofBytes(float sum) {
  constexpr float Divisor = 255.0f * 256.0f, Reciprocal = 1.0f / Divisor;
  const float quotient = sum * Reciprocal;
  return fma(fma(-quotient, Divisor, sum), Reciprocal, quotient);
}

/// Of the channels that are wanted.
static inline bool isFinite(const Floats &v, u32 channels) {
  const float all = channels == 1 ? v.x : channels == 2 ? v.x + v.y : v.x + v.y + (v.z + v.w);
  return absolute(all) < __builtin_inff();
}

/// The short paths: false where there is none. Infinite texels, and what is no number, do not count
/// where they have no weight; that is not looked at here, so there is none for their neighbours.
template <u32 Dimensions>
static inline bool sampleShortly(const TextureDescriptor &d, const TextureLevel &l, Wanted wanted,
                                 const Place &at, Words &result) {
  const u32 kind = constant(d.fastKind), n = wanted.channels();
  const i32 sliceBytes = (i32)constant(l.sliceBytes);
  const Rows rows = {constant(l.data), (i32)constant(l.rowBytes), sliceBytes,
                     at.slice * sliceBytes};
  if (kind == fastPointKind(wanted.channelBytes(), n)) {
    result = samplePoint<Dimensions>(d, l, rows, wanted, at);
    return true;
  }
  if (!wanted.isFloat())
    return false;
  constexpr float One = 1.0f / 256.0f;
  if (kind == fastLinearKind(TexelKind::Bits32, n)) {
    const Floats sum = One * sampleLinear<Dimensions, FloatTexels>(d, l, rows, wanted, at);
    result = bits(sum);
    return isFinite(sum, n);
  }
  if (kind != fastLinearKind(TexelKind::UNorm8, n))
    return false;
  const Floats sum = sampleLinear<Dimensions, ByteTexels>(d, l, rows, wanted, at);
  result = bits(Floats{ofBytes(sum.x), ofBytes(sum.y), ofBytes(sum.z), ofBytes(sum.w)});
  return true;
}

} // namespace heddle::devlib
