// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures: grey, blurs with the border clamped, Sobel, medians, bilinear scaling, erosion,
// wavelets, equalisation by a table, two colour spaces, template matching (heartwall), gradients on
// circles (leukocyte), Julia's set, integral rows.
#pragma once

#include "corpus.h"

namespace images {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;

constexpr int Width = 1021, Height = 769, Count = Width * Height;
constexpr int Radius = 2; // box blur
constexpr int ScaledWidth = 901, ScaledHeight = 631;
constexpr int Wavelet = 768;                      // rows and columns of dwt2d
constexpr int Points = 31, Patch = 15, Reach = 7; // heartwall
constexpr int Circles = 7, Angles = 50;           // leukocyte
constexpr int CellWidth = 173, CellHeight = 131;
constexpr int JuliaWidth = 303, JuliaHeight = 241, JuliaSteps = 60;

inline Problem bytes(int channels, int bound = 256) {
  return items(Count, 0).input(randomInts<Byte>(Count * channels, bound, 1));
}
inline Problem floats(double operations) {
  return items(Count, floatError(operations)).input(randomFloats(Count, 0, 255, 1));
}

/// A picture in bytes (red, green, blue beside each other), grey.
inline Problem gray() { return bytes(3).output<Byte>(Count); }
/// A picture in bytes, one of the same size.
inline Problem filter() { return bytes(1).output<Byte>(Count); }
/// A picture in float, one of the same size.
inline Problem floatFilter() { return floats(60).output<float>(Count); }
/// A picture in float, five taps, the rows filtered, result.
inline Problem gauss() {
  return floats(20)
      .input(std::vector<float>{0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f})
      .scratch<float>(Count)
      .output<float>(Count);
}
/// A picture in float, one of another size.
inline Problem scaled() {
  Problem problem = floats(1000);
  problem.work = ScaledWidth * ScaledHeight;
  return problem.output<float>(ScaledWidth * ScaledHeight);
}
/// A square, the rows transformed, result.
inline Problem dwt() {
  return items(Wavelet * Wavelet, floatError(20))
      .input(randomFloats(Wavelet * Wavelet, 0, 255, 1))
      .scratch<float>(Wavelet * Wavelet)
      .output<float>(Wavelet * Wavelet);
}
/// A picture in bytes, its histogram, the table, result.
inline Problem equalised() {
  return bytes(1, 100).scratch<int>(256).scratch<int>(256).output<Byte>(Count);
}
/// Pixels of four bytes, luma and two chromas.
inline Problem luma() {
  return bytes(4).output<Byte>(Count).output<Byte>(Count).output<Byte>(Count);
}
/// A picture, corners of the points' patches, templates, the best score of each point and where it
/// was.
inline Problem heartwall() {
  std::vector<int> corners;
  bench::Random random(2);
  for (int point = 0; point < Points; ++point) {
    corners.push_back(Reach + random.below(Width - Patch - 2 * Reach));
    corners.push_back(Reach + random.below(Height - Patch - 2 * Reach));
  }
  return floats(2 * Patch * Patch)
      .input(corners)
      .input(randomFloats(Points * Patch * Patch, 0, 255, 3))
      .output<float>(Points * (2 * Reach + 1) * (2 * Reach + 1));
}
/// Gradients along x and y, sines and cosines of the angles, offsets on the circles (Circles x
/// Angles), scores.
inline Problem leukocyte() {
  constexpr int Cells = CellWidth * CellHeight;
  std::vector<float> sines, cosines;
  std::vector<int> xs, ys;
  for (int angle = 0; angle < Angles; ++angle) {
    sines.push_back(std::sin(6.2831853f * angle / Angles));
    cosines.push_back(std::cos(6.2831853f * angle / Angles));
  }
  for (int circle = 0; circle < Circles; ++circle)
    for (int angle = 0; angle < Angles; ++angle) {
      xs.push_back(int((circle + 4) * cosines[angle]));
      ys.push_back(int((circle + 4) * sines[angle]));
    }
  // A mean of squares over a variance: the variance is a difference of near numbers.
  return items(double(Cells) * Circles * Angles, floatError(5000))
      .input(randomFloats(Cells, -1, 1, 1))
      .input(randomFloats(Cells, -1, 1, 2))
      .input(sines)
      .input(cosines)
      .input(xs)
      .input(ys)
      .output<float>(Cells);
}
/// How many steps each point stays; a point at the very border may differ.
inline Problem julia() {
  return items(JuliaWidth * JuliaHeight, 0.01).output<int>(JuliaWidth * JuliaHeight);
}
/// A picture in bytes, sums of all above and left of each point.
inline Problem integral() { return bytes(1).output<int>(Count); }
} // namespace images
