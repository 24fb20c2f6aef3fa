// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of words behind each other that lanes behind each other access: mostly all of them say the
// same, and one look is enough.
#pragma once

#include "check/race/shadow.h"

namespace heddle::check {

/// The records that an access would write: of word w, first + (w << up >> down).
struct RowPattern {
  Record first;
  unsigned up = 0, down = 0;
  Record of(uint32_t word) const { return first + (word << up >> down); }
};

/// What the records of a row say. Those below a number count as none.
struct RowFacts {
  uint32_t lowest, highest; ///< numbers of happenings; 0: none
  bool isOwn;               ///< all are those of the pattern
  bool isOfThreads;         ///< all are of the pattern's threads
  bool hasOwnWarp, hasOtherWarp;
};
/// How an access of a row ends: all at once; its words are different; or another worker has come.
enum class RowEnd : uint8_t { Done, IsNone, Again };
RowFacts lookAtRow(const Record *, size_t words, RowPattern, uint32_t floor);
void writeRow(Record *, size_t words, RowPattern);

} // namespace heddle::check
