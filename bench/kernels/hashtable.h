// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Insertion into a hash table with open addressing: a slot is taken by a compare-and-swap of its
// key, its value counts how often the key came. A part of the keys is looked up afterwards, for the
// comparison. Items are inserted keys.
#pragma once

#include "../harness/bench.h"

namespace hashtable {
constexpr int Keys = 1 << 20;
constexpr unsigned Slots = 1 << 21, Empty = 0xffffffff;
constexpr int LookedUp = Keys / 16;
constexpr int Block = 256;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(Keys)};
  problem.tolerance = 0;
  bench::Random random(9);
  std::vector<unsigned> keys(Keys);
  for (unsigned &key : keys)
    key = random.next() % (2 * Keys);
  return problem.input(keys).scratch<unsigned>(Slots).scratch<unsigned>(Slots).output<unsigned>(LookedUp);
}
} // namespace hashtable
