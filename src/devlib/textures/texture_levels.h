// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of mipmaps: which ones a sample lies between, and what is there.
#pragma once

#include "texture_coordinates.h"

namespace heddle::devlib {

/// A level and how much of the next one.
struct LevelTap {
  i32 first;
  float weight;
};

/// The levels of a level of detail, as the texture's bias and bounds leave it: all in 1/256, what
/// is less is dropped.
static inline LevelTap levelTap(const TextureDescriptor &d, float level, bool isBiased) {
  level = level != level ? 0.0f : lesser(greater(level, -64.0f), 64.0f);
  i32 fixed = (i32)__builtin_floorf(level * 256.0f) + (isBiased ? constant(d.levelBias) : 0);
  fixed = lesser(greater(fixed, constant(d.leastLevel)), constant(d.mostLevel));
  if (!constant(d.isLinearBetweenLevels))
    return {(fixed + 128) >> 8, 0};
  return {fixed >> 8, (float)(fixed & 255) * (1.0f / 256.0f)};
}

/// A sample at a level of detail, which may differ between threads: what `sample` gives for one
/// level, or between two. The bias is not for samples that name no level.
template <class Sample>
static inline Words sampleLevels(const TextureDescriptor &d, float level, bool isBiased,
                                 Sample sample) {
  const LevelTap tap = levelTap(d, level, isBiased);
  const bool blends = constant(d.isLinearBetweenLevels);
  const i32 last = (i32)constant(d.levels) - 1;
  Floats sum = {-0.0f, -0.0f, -0.0f, -0.0f};
  Words texel;
#pragma clang loop unroll(disable)
  for (i32 i = 0; i <= (i32)blends; ++i) {
    texel = sample(d.level[lesser(tap.first + i, last)]);
    sum = addWeighted(i ? tap.weight : 1.0f - tap.weight, floats(texel), sum);
  }
  return blends ? bits(sum) : texel;
}

/// The level of detail of two steps, in texels of level 0: the binary logarithm of the longer half
/// axis of the ellipse that they span.
static inline float levelOfSteps(float squareX, float squareY, float product) {
  const float middle = 0.5f * (squareX + squareY), half = 0.5f * (squareX - squareY);
  return 0.5f * __nv_log2f(middle + __builtin_sqrtf(half * half + product * product));
}

} // namespace heddle::devlib
