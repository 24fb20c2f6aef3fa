// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a texel's bytes to the four words of a sample.
#pragma once

#include "base/abi/texture_descriptor.h"
#include "devlib/devlib.h"

namespace heddle::devlib {

/// A field of a descriptor. It does not change while a kernel runs, so it is loaded once, in front
/// of loops too.
template <class T> static inline T constant(const T &field) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, __nvvm_ldg_i(reinterpret_cast<const int *>(&field)));
  else
    return __builtin_bit_cast(T, __nvvm_ldg_ll(reinterpret_cast<const long long *>(&field)));
}

/// Loads of texels. The runtime has made sure that these are aligned; code that does not count on
/// it is not asked to find out (simt/lower/find_misaligned.cpp).
typedef u16 Texel16 __attribute__((aligned(1)));
typedef u32 Texel32 __attribute__((aligned(1)));
typedef u64 Texel64 __attribute__((aligned(1)));

/// What a texture function gives: words 1 to 3 mean nothing where fewer channels are wanted.
struct Words {
  u32 x, y, z, w;
};
struct Floats {
  float x, y, z, w;
};

static inline Floats operator*(float weight, const Floats &v) {
  return {weight * v.x, weight * v.y, weight * v.z, weight * v.w};
}
/// weight * v + sum, but a texel of no weight does not count, be it infinite or no number.
static inline Floats addWeighted(float weight, const Floats &v, const Floats &sum) {
  auto add = [&](float part, float to) { return fma(weight, weight == 0 ? 0 : part, to); };
  return {add(v.x, sum.x), add(v.y, sum.y), add(v.z, sum.z), add(v.w, sum.w)};
}

static inline Words bits(const Floats &v) { return {bits(v.x), bits(v.y), bits(v.z), bits(v.w)}; }
static inline Floats floats(const Words &v) {
  return {fromBits(v.x), fromBits(v.y), fromBits(v.z), fromBits(v.w)};
}

/// v over 2^n - 1 (unsigned) or 2^(n-1) - 1: the nearest float. The least signed number gives a
/// little less than -1, which `finished` mends, behind the filter.
static inline float unitOf(u8 v) { return (float)v / 255.0f; }
static inline float unitOf(u16 v) { return (float)v / 65535.0f; }
static inline float unitOf(signed char v) { return (float)v / 127.0f; }
static inline float unitOf(short v) { return (float)v / 32767.0f; }

/// Channel `c` of the texel at `p`.
static inline u32 channelWord(const TextureDescriptor &d, TexelKind kind, const u8 *p, u32 c) {
  const auto *halfs = reinterpret_cast<const Texel16 *>(p);
  switch (kind) {
  case TexelKind::UInt8:
    return p[c];
  case TexelKind::SInt8:
    return (u32)(i32)(signed char)p[c];
  case TexelKind::UInt16:
    return halfs[c];
  case TexelKind::SInt16:
    return (u32)(i32)(short)halfs[c];
  case TexelKind::Bits32:
    return reinterpret_cast<const Texel32 *>(p)[c];
  case TexelKind::Half:
    return bits((float)__builtin_bit_cast(_Float16, halfs[c]));
  case TexelKind::UNorm8:
    return bits(unitOf(p[c]));
  case TexelKind::SNorm8:
    return bits(unitOf((signed char)p[c]));
  case TexelKind::UNorm16:
    return bits(unitOf(halfs[c]));
  case TexelKind::SNorm16:
    return bits(unitOf((short)halfs[c]));
  case TexelKind::Srgb8:
    return c == 3 || (c == 1 && constant(d.channels) == 2)
               ? bits(unitOf(p[c]))
               : bits(constant(constant(d.srgbTable)[p[c]]));
  }
  return 0;
}

/// The texel at `p` of any kind. Channels that it does not have are 0.
static inline Words anyTexel(const TextureDescriptor &d, const u8 *p, u32 wanted) {
  const TexelKind kind = constant(d.kind);
  const u32 channels = constant(d.channels);
  Words v = {channelWord(d, kind, p, 0), 0, 0, 0};
  if (wanted > 1 && channels > 1)
    v.y = channelWord(d, kind, p, 1);
  if (wanted > 2 && channels > 2) {
    v.z = channelWord(d, kind, p, 2);
    v.w = channelWord(d, kind, p, 3);
  }
  return v;
}

/// The sample of one texel or several.
static inline Words finished(const TextureDescriptor &d, const Words &v) {
  const TexelKind kind = constant(d.kind);
  if (kind != TexelKind::SNorm8 && kind != TexelKind::SNorm16)
    return v;
  auto bounded = [](u32 word) { return fromBits(word) < -1.0f ? bits(-1.0f) : word; };
  return {bounded(v.x), bounded(v.y), bounded(v.z), bounded(v.w)};
}

/// The texel at `p` as it lies there, where each channel has `bytes` bytes; the upper bits of
/// shorter ones mean nothing.
static inline Words rawTexel(const u8 *p, u32 bytes, u32 channels) {
  const auto *words = reinterpret_cast<const Texel32 *>(p);
  const auto *halfs = reinterpret_cast<const Texel16 *>(p);
  if (bytes == 4 && channels == 1)
    return {words[0], 0, 0, 0};
  if (bytes == 4) { // a gather takes as long for 64 bits as for 32
    const auto *pairs = reinterpret_cast<const Texel64 *>(p);
    const u64 low = pairs[0], high = channels > 2 ? pairs[1] : 0;
    return {(u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32)};
  }
  if (bytes == 2) {
    if (channels == 1)
      return {halfs[0], 0, 0, 0};
    const u32 high = channels > 2 ? words[1] : 0;
    return {words[0], words[0] >> 16, high, high >> 16};
  }
  if (channels == 1)
    return {p[0], 0, 0, 0};
  const u32 all = channels == 2 ? halfs[0] : words[0];
  return {all, all >> 8, all >> 16, all >> 24};
}

/// Texels of the kinds that the short path filters: floats, and bytes of 0 to 255, which the sum of
/// the weighted texels is divided by.
struct FloatTexels {
  static Floats of(const Words &v) { return floats(v); }
  static constexpr u32 ChannelBytes = 4;
};
struct ByteTexels {
  static Floats of(const Words &v) {
    auto byte = [](u32 word) { return (float)(i32)(word & 255); };
    return {byte(v.x), byte(v.y), byte(v.z), byte(v.w)};
  }
  static constexpr u32 ChannelBytes = 1;
};

} // namespace heddle::devlib
