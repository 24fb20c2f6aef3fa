// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of sparse products share: random rows of A, and their metadata as the PTX ISA has them.
#pragma once

#include "ptx_matrices.h"

#include <vector>

/// A row of A, of which half is there: which elements, and the pairs of numbers that say so, four bits for each chunk.
struct Row {
  std::vector<int> places;
  std::vector<unsigned> chunks;
};
static Row randomRow(Random &random, Type type, int k) {
  Row row;
  int units = type == Type::TF32 ? 2 : 4, ofUnit = bitsOf(type) == 4 ? 2 : 1;
  for (int chunk = 0; chunk < k / (units * ofUnit); ++chunk) {
    int first = chunk * units * ofUnit;
    if (type == Type::TF32) {
      int which = random.below(2);
      row.places.push_back(first + which);
      row.chunks.push_back(which ? 0xe : 0x4);
      continue;
    }
    int low = random.below(3), high = low + 1 + random.below(3 - low);
    for (int unit : {low, high})
      for (int i = 0; i < ofUnit; ++i)
        row.places.push_back(first + unit * ofUnit + i);
    row.chunks.push_back(unsigned(low | high << 2));
  }
  return row;
}

/// Puts the four bits of a chunk of a row into the words of the lanes, where the ISA's figures of the metadata have them.
static void putMetadata(u64 *e, Type type, int chunks, int selector, int row, int chunk, unsigned bits) {
  int group = row % 8, isLower = row / 8, lane = 4 * group, bit = 0;
  bool hasBytes = bitsOf(type) <= 8;
  if (!hasBytes && chunks == 4) // "Tk: [15..0] row k / 4, [31..16] row k / 4 + 8"
    lane += selector, bit = 16 * isLower + 4 * chunk;
  else if (!hasBytes) // the first half of the columns in the first of two lanes
    lane += 2 * selector + chunk / 4, bit = 16 * isLower + 4 * (chunk % 4);
  else if (chunks == 8) // a lane for each row
    lane += 2 * selector + isLower, bit = 4 * chunk;
  else // the second half of the columns in the upper two lanes
    lane += 2 * (chunk / 8) + isLower, bit = 4 * (chunk % 8);
  e[lane] = (e[lane] & ~(u64(15) << bit)) | u64(bits) << bit;
}
