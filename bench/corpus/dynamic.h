// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic programming: along diagonals of a table with a launch for each, row after row, with one
// block that waits for itself, and a thread for each small problem.
#pragma once

#include "corpus.h"

namespace dynamic {
using namespace corpus;
using bench::Problem;

constexpr int Cities = 139;              // floyd_warshall
constexpr int Bases = 153;               // nussinov
constexpr int First = 531, Second = 487; // lcs, nw, smith_waterman
constexpr int Goods = 41, Capacity = 20011;
constexpr int PathColumns = 20017, PathRows = 31;
constexpr int Pairs = 773, Word = 29;                    // edit_distance
constexpr int Matrices = 151;                            // chain
constexpr int States = 61, Observed = 401, Symbols = 11; // viterbi

/// Distances, result.
inline Problem floydWarshall() {
  std::vector<int> distances = randomInts(Cities * Cities, 1000, 1);
  for (int i = 0; i < Cities; ++i)
    distances[i * Cities + i] = 0;
  return items(double(Cities) * Cities * Cities, 0).input(distances).output<int>(Cities * Cities);
}

/// Bases (0 to 3), table of best pairings.
inline Problem nussinov() {
  return items(double(Bases) * Bases * Bases / 6, 0)
      .input(randomInts(Bases, 4, 1))
      .output<int>(Bases * Bases);
}

/// Two words, table with a row and a column of zeros.
inline Problem table(int alphabet) {
  return items(double(First) * Second, 0)
      .input(randomInts(First, alphabet, 1))
      .input(randomInts(Second, alphabet, 2))
      .output<int>((First + 1) * (Second + 1));
}
inline Problem lcs() { return table(4); }
inline Problem alignment() { return table(20); }

/// Weights, values, rows of even and odd goods; the last is the result.
inline Problem knapsack() {
  std::vector<int> weights = randomInts(Goods, 900, 1);
  for (int &weight : weights)
    ++weight;
  return items(double(Goods) * Capacity, 0)
      .input(weights)
      .input(randomInts(Goods, 100, 2))
      .scratch<int>(Capacity + 1)
      .output<int>(Capacity + 1);
}

/// Wall (PathRows x PathColumns), costs of even and odd rows; the last is the result.
inline Problem pathfinder() {
  return items(double(PathRows) * PathColumns, 0)
      .input(randomInts(PathRows * PathColumns, 10, 1))
      .scratch<int>(PathColumns)
      .output<int>(PathColumns);
}

/// Words of `Word` letters, beside each other, their distances.
inline Problem editDistance() {
  return items(double(Pairs) * Word * Word, 0)
      .input(randomInts<unsigned char>(Pairs * Word, 4, 1))
      .input(randomInts<unsigned char>(Pairs * Word, 4, 2))
      .output<int>(Pairs);
}

/// Sizes of matrices, table of the least work for each product.
inline Problem chain() {
  std::vector<int> sizes = randomInts(Matrices + 1, 60, 1);
  for (int &size : sizes)
    ++size;
  return items(double(Matrices) * Matrices * Matrices / 6, 0)
      .input(sizes)
      .output<int>(Matrices * Matrices);
}

/// Observations, log probabilities of transitions and emissions, scores (Observed x States), best
/// state before.
inline Problem viterbi() {
  return items(double(Observed) * States * States, floatError(2 * Observed))
      .input(randomInts(Observed, Symbols, 1))
      .input(randomFloats(States * States, -5, 0, 2))
      .input(randomFloats(States * Symbols, -5, 0, 3))
      .output<float>(Observed * States)
      .scratch<int>(Observed * States);
}
} // namespace dynamic
