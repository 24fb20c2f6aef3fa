// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of whole words of a block's shared memory, one by each lane, all looked at in one go. What
// is usual, and needs no more than records' numbers, is done here; the lanes that are left over are
// looked at one by one (words.cpp). Nobody else uses a block's records.
#pragma once

#include "check/race/shadow.h"

namespace heddle::check {

struct LaneWords {
  Words words;          ///< all of the block's
  const uint32_t *word; ///< of each of 32 lanes; of those that are not there, 0
  uint32_t lanes;       ///< that are there
  bool isRow;       ///< each at the word behind the one before it, those that are not there, too
  Record first;     ///< what lane 0 would write; the others, those behind it
  Record least;     ///< records below are from before the last barrier
  Record warpLeast; ///< those below of this warp are known to all of it
  bool mayWrite = false; ///< of writes: they are reads that count as such (may_write.h)
};

/// Lanes that are done: recorded, with nothing that they race with.
uint32_t readLanes(const LaneWords &);
uint32_t changeLanes(const LaneWords &); ///< atomic operations
/// None if lanes go to one word.
uint32_t writeLanes(const LaneWords &);

/// Whether instructions are used that not all machines have. They are, where there are.
void useWideLanes(bool);

/// Where lanes go: 32 pointers.
struct LanePlaces {
  const uint64_t *pointers;
  uint64_t low, last; ///< of the memory; the last offset that may be accessed
  uint32_t lanes;
};
/// Numbers of the words in the memory, from its begin on. False if a lane goes to another place, or to
/// one that is no word's.
bool numberWords(const LanePlaces &, uint32_t *word);
/// The same of a place, and others `stride` bytes behind each other.
bool numberWords(int64_t offset, int64_t stride, uint64_t last, uint32_t lanes, uint32_t *word);

} // namespace heddle::check
