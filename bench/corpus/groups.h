// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that work together: a warp a row, an append with one atomic a warp, sums of segments by
// shuffles, a wavefront with a barrier a diagonal, Fourier's transform and attention in shared
// memory. Threads that need little arrays: queens, nearest points, neighbour lists.
#pragma once

#include "corpus.h"

namespace groups {
using namespace corpus;
using bench::Problem;

constexpr int Rows = 1201, Columns = 203; // normalised
constexpr int Candidates = 500009;        // appended
constexpr int Values = 300007;            // segmented
constexpr int Pairs = 40, Letters = 96;   // aligned
constexpr int Signals = 300, Points = 256;
constexpr int Heads = 3, Places = 192, Depth = 32, Tile = 32; // attention
constexpr int Queens = 9;
constexpr int Queries = 701, Known = 500, Nearest = 8;
constexpr int Particles = 3001, Neighbours = 60;

/// A matrix, each row over its length.
inline Problem normalised() {
  return items(Rows * Columns, floatError(Columns))
      .input(randomFloats(Rows * Columns, -1, 1, 1))
      .output<float>(Rows * Columns);
}
/// Numbers, those that pass in any order, how many.
inline Problem appended() {
  return items(Candidates, 0)
      .input(randomInts(Candidates, 1000, 1))
      .scratch<int>(Candidates)
      .output<int>(1)
      .output<int>(1000);
}
/// Values, heads of segments, the sum from the segment's head in the same warp up to each.
inline Problem segmented() {
  std::vector<int> heads = randomInts(Values, 11, 2);
  for (int &head : heads)
    head = head == 0;
  return items(Values, floatError(32))
      .input(randomFloats(Values, 0, 1, 1))
      .input(heads)
      .output<float>(Values);
}
/// Pairs of words, the best score of each (Smith and Waterman).
inline Problem aligned() {
  return items(double(Pairs) * Letters * Letters, 0)
      .input(randomInts(Pairs * Letters, 4, 1))
      .input(randomInts(Pairs * Letters, 4, 2))
      .output<int>(Pairs);
}
/// Signals of complex numbers, roots of one, spectra.
inline Problem spectra() {
  std::vector<float> roots;
  for (int i = 0; i < Points / 2; ++i) {
    roots.push_back(float(std::cos(2 * M_PI * i / Points)));
    roots.push_back(float(-std::sin(2 * M_PI * i / Points)));
  }
  return items(Signals * Points, floatError(200))
      .input(randomFloats(2 * Signals * Points, -1, 1, 1))
      .input(roots)
      .output<float>(2 * Signals * Points);
}
/// Queries, keys, values (head x place x depth), result.
inline Problem attention() {
  constexpr int Count = Heads * Places * Depth;
  return items(double(Heads) * Places * Places, floatError(600))
      .input(randomFloats(Count, -1, 1, 1))
      .input(randomFloats(Count, -1, 1, 2))
      .input(randomFloats(Count, -1, 1, 3))
      .output<float>(Count);
}
/// The places of all with the first two queens given (Queens x Queens).
inline Problem queens() { return items(Queens * Queens, 0).output<int>(Queens * Queens); }
/// Points in space, queries, the mean distance of the nearest.
inline Problem nearest() {
  return items(Queries * Known, floatError(20))
      .input(randomFloats(3 * Known, 0, 1, 1))
      .input(randomFloats(3 * Queries, 0, 1, 2))
      .output<float>(Queries);
}
/// Places and charges, lists of neighbours (particle after particle), forces.
inline Problem neighbours() {
  std::vector<int> lists;
  bench::Random random(2);
  for (int particle = 0; particle < Particles; ++particle)
    for (int i = 0; i < Neighbours; ++i)
      lists.push_back((particle + random.below(400) + Particles - 200) % Particles);
  return items(Particles * Neighbours, floatError(4 * Neighbours))
      .input(randomFloats(4 * Particles, 0, 1, 1))
      .input(lists)
      .output<float>(4 * Particles);
}

} // namespace groups
