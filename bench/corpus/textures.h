// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Textures: a picture turned by an angle, sampled at the nearest texel and between four, in floats,
// four floats and four bytes. The loops do the hardware's arithmetic: weights of 8 bits that add up
// to 1.
#pragma once

#include "corpus.h"

namespace textures {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;

/// A row's bytes are a multiple of cudaDeviceProp::texturePitchAlignment in each format.
constexpr int Width = 808, Height = 609, Count = Width * Height;

/// Where a point of the result lies in the picture. All products and sums are exact, contracted or
/// not: a texel is the same to all.
constexpr float Cosine = 0.96875f, Sine = 0.25f, ShiftX = 70.28125f, ShiftY = -90.59375f;

inline Problem picture(int channels) {
  return items(Count, floatError(100)).input(randomFloats(Count * channels, 0, 1, 1));
}
inline Problem one() { return picture(1).output<float>(Count); }
inline Problem four() { return picture(4).output<float>(4 * Count); }
inline Problem bytes() {
  return items(Count, floatError(100))
      .input(randomInts<Byte>(4 * Count, 256, 1))
      .output<float>(4 * Count);
}
} // namespace textures
