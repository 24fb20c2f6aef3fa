// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils in one, two and three dimensions: with guards, with a halo in the array, with a tile in
// shared memory, and those that depend on their own results (Seidel in wavefronts, ADI in sweeps).
#pragma once

#include "corpus.h"

namespace stencils {
using namespace corpus;
using bench::Problem;

constexpr int Line = 200001, LineSteps = 10;        // jacobi1d
constexpr int Width = 613, Height = 419, Steps = 4; // planes
constexpr int Side = 61, SpaceSteps = 3;            // cubes
constexpr int Sweep = 211, SweepSteps = 2;          // adi, seidel
constexpr int Radius = 4;                           // stencil_star
constexpr float Step = 0.05f;

inline Problem grid(size_t count, double work, double operations, float low = 0, float high = 1) {
  return items(work, floatError(operations)).input(randomFloats(count, low, high, 1));
}

/// Start values, scratch, result.
inline Problem jacobi1d() {
  return grid(Line, double(Line) * LineSteps, 4 * LineSteps)
      .scratch<float>(Line)
      .output<float>(Line);
}
inline Problem jacobi2d() {
  constexpr int Count = Width * Height;
  return grid(Count, double(Count) * Steps, 6 * Steps).scratch<float>(Count).output<float>(Count);
}
inline Problem heat3d() {
  constexpr int Count = Side * Side * Side;
  return grid(Count, double(Count) * SpaceSteps, 20 * SpaceSteps)
      .scratch<float>(Count)
      .output<float>(Count);
}

/// ex, ey, hz at the start, and after the steps.
inline Problem fdtd2d() {
  Problem problem = grid(Width * Height, double(Width) * Height * Steps, 10 * Steps);
  problem.input(randomFloats(Width * Height, 0, 1, 2)).input(randomFloats(Width * Height, 0, 1, 3));
  return problem.output<float>(Width * Height)
      .output<float>(Width * Height)
      .output<float>(Width * Height);
}

/// Start values, v, p, q, result.
inline Problem adi() {
  constexpr int Count = Sweep * Sweep;
  return grid(Count, 2.0 * Count * SweepSteps, 100 * SweepSteps)
      .scratch<float>(Count)
      .scratch<float>(Count)
      .scratch<float>(Count)
      .output<float>(Count);
}

/// Start values, result.
inline Problem seidel() {
  return grid(Sweep * Sweep, double(Sweep) * Sweep * SweepSteps, 20 * SweepSteps)
      .output<float>(Sweep * Sweep);
}

/// Temperature, power, scratch, result: of a chip, and of a stack of layers.
inline Problem hotspot() {
  constexpr int Count = Width * Height;
  return grid(Count, double(Count) * Steps, 16 * Steps, 300, 340)
      .input(randomFloats(Count, 0, 1, 2))
      .scratch<float>(Count)
      .output<float>(Count);
}
inline Problem hotspot3d() {
  constexpr int Count = Side * Side * Side;
  return grid(Count, double(Count) * SpaceSteps, 20 * SpaceSteps, 300, 340)
      .input(randomFloats(Count, 0, 1, 2))
      .scratch<float>(Count)
      .output<float>(Count);
}

/// Picture, derivatives to the north, south, west and east, coefficient, result.
inline Problem srad() {
  constexpr int Count = Width * Height;
  Problem problem = grid(Count, double(Count), 400, 1, 2);
  for (int i = 0; i < 5; ++i)
    problem.scratch<float>(Count);
  return problem.output<float>(Count);
}

/// A plane with a halo of `Radius` on all sides, the 4 * Radius + 1 factors, result without a halo.
constexpr int Pitch = Width + 2 * Radius;
inline Problem star() {
  return grid(Pitch * (Height + 2 * Radius), double(Width) * Height, 4 * Radius + 1)
      .input(randomFloats(2 * Radius + 1, 0, 1, 2))
      .output<float>(Width * Height);
}

/// A plane, result: the mean of 3 x 3 points from a tile in shared memory, points outside of the
/// plane counted as 0.
inline Problem tiled() {
  return grid(Width * Height, double(Width) * Height, 9).output<float>(Width * Height);
}
} // namespace stencils
