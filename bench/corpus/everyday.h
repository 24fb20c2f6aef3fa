// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as people write them every day: layers of language models, images, waves, and flat
// indices of arrays of several dimensions.
#pragma once

#include "corpus.h"

namespace everyday {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;
constexpr int Tall = 4001, Long = 203;                    // columns: a thread a row at a pitch
constexpr int D0 = 13, D1 = 24, D2 = 17, D3 = 48;         // permute
constexpr int Matrices = 20003;                           // mat4
constexpr int Tokens = 301, Width = 1000;                 // rmsnorm
constexpr int Gates = 300007;                             // swiglu
constexpr int SobelW = 613, SobelH = 411;                 // sobel on uchar4
constexpr int WaveX = 101, WaveY = 83, WaveZ = 47;        // wave equation
constexpr int Points = 20011, Dims = 6, Centres = 24;     // k-means
constexpr int Summed = 512 * 601;                         // prefix sums of blocks
constexpr int UpC = 9, UpH = 61, UpW = 93;                // nearest neighbours, twice as large
constexpr int GroupN = 4, GroupC = 32, GroupHW = 30 * 37; // normalization's affine part

inline Problem columns() {
  return items(double(Tall) * Long, floatError(Long))
      .input(randomFloats(Tall * Long, 0, 1, 1))
      .output<float>(Tall);
}
inline Problem permute() {
  return items(D0 * D1 * D2 * D3, 0)
      .input(randomFloats(D0 * D1 * D2 * D3, -1, 1, 1))
      .output<float>(D0 * D1 * D2 * D3);
}
inline Problem mat4() {
  return items(Matrices, floatError(8))
      .input(randomFloats(Matrices * 16, -1, 1, 1))
      .input(randomFloats(Matrices * 16, -1, 1, 2))
      .output<float>(Matrices * 16);
}
inline Problem rmsnorm() {
  return items(double(Tokens) * Width, floatError(Width))
      .input(randomFloats(Tokens * Width, -2, 2, 1))
      .input(randomFloats(Width, 0, 2, 2))
      .output<float>(Tokens * Width);
}
inline Problem swiglu() {
  return items(Gates, floatError(20)).input(randomFloats(2 * Gates, -4, 4, 1)).output<float>(Gates);
}
inline Problem sobel4() {
  return items(SobelW * SobelH, 1)
      .input(randomInts<Byte>(SobelW * SobelH * 4, 256, 1))
      .output<Byte>(SobelW * SobelH * 4);
}
inline Problem wave() {
  constexpr int Count = WaveX * WaveY * WaveZ;
  return items(Count, floatError(20))
      .input(randomFloats(Count, -1, 1, 1))
      .input(randomFloats(Count, -1, 1, 2))
      .output<float>(Count);
}
inline Problem kmeans() {
  return items(double(Points) * Centres, 0)
      .input(randomFloats(Points * Dims, -1, 1, 1))
      .input(randomFloats(Centres * Dims, -1, 1, 2))
      .output<int>(Points);
}
inline Problem scan() {
  return items(Summed, 0).input(randomInts(Summed, 9, 1)).output<int>(Summed);
}
inline Problem upsample() {
  return items(UpC * UpH * UpW * 4, 0)
      .input(randomFloats(UpC * UpH * UpW, -1, 1, 1))
      .output<float>(UpC * UpH * UpW * 4);
}
inline Problem groupAffine() {
  constexpr int Count = GroupN * GroupC * GroupHW;
  return items(Count, floatError(6))
      .input(randomFloats(Count, -1, 1, 1))
      .input(randomFloats(GroupN * GroupC / 4, -1, 1, 2))
      .input(randomFloats(GroupC, -1, 1, 3))
      .output<float>(Count);
}
} // namespace everyday
