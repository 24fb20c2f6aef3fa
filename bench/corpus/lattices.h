// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of several dimensions by one flat index that is taken apart with / and %: a bias for each
// channel, heads of attention that change places, windows as columns (im2col). Lattices that go on
// at the other side: heat and life on a torus, Boltzmann's streaming. Planes that a thread goes
// through one after the other.
#pragma once

#include "corpus.h"

namespace lattices {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;

constexpr int Images = 3, Channels = 19, Height = 61, Width = 83;
constexpr int Batch = 3, Heads = 7, Places = 301, Depth = 48;
constexpr int ImageHeight = 57, ImageWidth = 71, Kernel = 3, Layers = 11;
constexpr int Side = 509;                                // heat
constexpr int LifeSide = 771;                            // life
constexpr int Columns = 233, Rows = 171, Directions = 9; // Boltzmann
constexpr int PlaneWidth = 94, PlaneHeight = 87, Planes = 61;
constexpr int Walkers = 501, Pitch = 1024, Length = 777;

/// Images, a bias for each channel, result.
inline Problem bias() {
  constexpr int Count = Images * Channels * Height * Width;
  return items(Count, floatError(2))
      .input(randomFloats(Count, -1, 1, 1))
      .input(randomFloats(Channels, -1, 1, 2))
      .output<float>(Count);
}
/// Batch x places x heads x depth, batch x heads x places x depth.
inline Problem heads() {
  constexpr int Count = Batch * Heads * Places * Depth;
  return items(Count, 0).input(randomFloats(Count, -1, 1, 1)).output<float>(Count);
}
/// An image of some layers, its windows as columns.
inline Problem windows() {
  constexpr int Count = Layers * ImageHeight * ImageWidth;
  return items(Count * Kernel * Kernel, 0)
      .input(randomFloats(Count, -1, 1, 1))
      .output<float>(Count * Kernel * Kernel);
}
/// Before, after.
inline Problem heat() {
  return items(Side * Side, floatError(6))
      .input(randomFloats(Side * Side, 0, 1, 1))
      .output<float>(Side * Side);
}
/// Before, after.
inline Problem life() {
  return items(LifeSide * LifeSide, 0)
      .input(randomInts<Byte>(LifeSide * LifeSide, 2, 1))
      .output<Byte>(LifeSide * LifeSide);
}
/// Nine densities of each cell before (direction x row x column), the same after.
inline Problem boltzmann() {
  constexpr int Count = Directions * Rows * Columns;
  return items(Rows * Columns, floatError(40))
      .input(randomFloats(Count, 0.1f, 1, 1))
      .output<float>(Count);
}
/// Before, after.
inline Problem planes() {
  constexpr int Count = PlaneWidth * PlaneHeight * Planes;
  return items(Count, floatError(8)).input(randomFloats(Count, 0, 1, 1)).output<float>(Count);
}
/// Rows that lie a power of two apart, their sums up to each element.
inline Problem walks() {
  return items(Walkers * Length, floatError(Length))
      .input(randomFloats(Walkers * Pitch, 0, 1, 1))
      .output<float>(Walkers * Pitch);
}

} // namespace lattices
