// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What blocks and warps do together: reductions, scans, histograms, compaction, and a block or a
// warp for each row.
#pragma once

#include "corpus.h"

#include <algorithm>

namespace blocks {
using namespace corpus;
using bench::Problem;

constexpr int Count = 1000003;
constexpr int Block = 256, Blocks = 64;
constexpr int ScanBlocks = (Count + Block - 1) / Block;
constexpr int Rows = 2503, Columns = 301; // a block a row
constexpr int Bins = 256;
constexpr int Segments = 10007;

/// Values, sums of blocks, result.
inline Problem sum() {
  return items(Count, floatError(2000))
      .input(randomFloats(Count, 0, 1, 1))
      .scratch<float>(Blocks)
      .output<float>(1);
}
inline Problem dot() {
  return items(Count, doubleError(2000))
      .input(randomDoubles(Count, 0, 1, 1))
      .input(randomDoubles(Count, 0, 1, 2))
      .scratch<double>(Blocks)
      .output<double>(1);
}
/// Values, a value's place for each block, result.
inline Problem argmin() {
  return items(Count, 0).input(randomInts(Count, 1 << 30, 1)).scratch<int>(Blocks).output<int>(1);
}
/// Values, sums before each element, sums of blocks.
inline Problem scan() {
  return items(Count, 0)
      .input(randomInts(Count, 100, 1))
      .output<int>(Count)
      .scratch<int>(ScanBlocks);
}
/// Bytes, bins.
inline Problem histogram() {
  return items(Count, 0).input(randomInts<unsigned char>(Count, Bins, 1)).output<int>(Bins);
}
/// Values, those above the middle in order, how many, numbers of blocks.
inline Problem compact() {
  return items(Count, 0)
      .input(randomInts(Count, 1000, 1))
      .output<int>(Count)
      .output<int>(1)
      .scratch<int>(ScanBlocks);
}
/// A matrix, result: one a row, or a matrix.
inline Problem rowSums() {
  return items(double(Rows) * Columns, floatError(2 * Columns))
      .input(randomFloats(Rows * Columns, 0, 1, 1))
      .output<float>(Rows);
}
inline Problem rowMatrices() {
  return items(double(Rows) * Columns, floatError(4 * Columns))
      .input(randomFloats(Rows * Columns, -2, 2, 1))
      .output<float>(Rows * Columns);
}
/// Keys in order, values, sums of the segments.
inline Problem segments() {
  std::vector<int> keys = randomInts(Count, Segments, 1);
  std::sort(keys.begin(), keys.end());
  return items(Count, floatError(2000))
      .input(keys)
      .input(randomFloats(Count, 0, 1, 2))
      .output<float>(Segments);
}
} // namespace blocks
