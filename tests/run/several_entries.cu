// RUN: %heddle cc %s -o %t
// RUN: %widths(128) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles that are entered at several blocks, within such cycles: a machine of states whose ways are `goto`. What follows
// from a state is read from a table, so that no path can be ruled out.
#include "support.h"

constexpr int States = 9, Threads = 400;

/// One step: `next` of this state, as the table and the lane's number have it, or the end.
#define STATE(number, forward, back)                                                                                    \
  state##number : sum = sum * 31 + number + left;                                                                       \
  bits = bits * 1664525u + 1013904223u;                                                                                 \
  if (bits >> 29 < table[number] % 6u)                                                                                  \
    goto state##forward;                                                                                                \
  if (bits >> 26 & table[number] / 6u & 1) {                                                                            \
    if (--left < 0)                                                                                                     \
      goto state9;                                                                                                      \
    goto state##back;                                                                                                   \
  }

__host__ __device__ unsigned walk(const unsigned *table, unsigned bits, int left) {
  unsigned sum = bits;
  switch (bits % 4) {
  case 0:
    goto state4;
  case 1:
    goto state7;
  case 2:
    goto state2;
  }
  STATE(0, 7, 0)
  STATE(1, 5, 0)
  STATE(2, 8, 1)
  STATE(3, 5, 1)
  STATE(4, 8, 3)
  STATE(5, 6, 2)
  STATE(6, 9, 4)
  STATE(7, 8, 3)
  STATE(8, 9, 6)
state9:
  return sum;
}

__global__ void walks(const unsigned *table, const unsigned *bits, int left, unsigned *sums) {
  int i = threadInGrid();
  sums[i] = walk(table, bits[i], left);
}

int main() {
  Random random(1);
  std::vector<unsigned> bits(Threads);
  for (unsigned &start : bits)
    start = random.bits();
  Buffer<unsigned> deviceBits(bits), sums(Threads);
  for (int round = 0; round < 20; ++round) {
    std::vector<unsigned> table(States);
    for (unsigned &entry : table)
      entry = random.below(36);
    Buffer<unsigned> deviceTable(table);
    walks<<<4, Threads / 4>>>(deviceTable, deviceBits, 5 + round, sums);
    checkLaunch();
    std::vector<unsigned> want(Threads);
    for (int i = 0; i < Threads; ++i)
      want[i] = walk(table.data(), bits[i], 5 + round);
    expectAll("walks of round " + std::to_string(round), sums.get(), want);
  }
  return finish();
}
