// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inner loop that lanes leave at different times and enter again from the outer one, and which alone leads to the
// kernel's end: what it counts is not the same in all lanes, although all begin with the same number.
#include "support.h"

/// The bits of `words` words, from the highest one of the first.
__global__ void bits(const unsigned *in, int words, int most, int *out, int *count) {
  int i = threadInGrid(), base = 0, n = 0;
  in += i * words;
  unsigned word = *in;
  for (;; n++) {
    while (word == 0) {
      if (--words == 0)
        break;
      word = *++in;
      base += 32;
    }
    if (word == 0)
      break;
    int bit = 31 - __clz(int(word));
    word &= ~(1u << bit);
    out[i * most + n] = base + bit;
  }
  count[i] = n;
}

/// The same for a walk up a table whose length is common: an inner loop within an inner loop.
__global__ void steps(const int *in, int length, int *sums) {
  int i = threadInGrid(), at = in[i] & 15, left = length, sum = 0;
  for (;;) {
    for (;;) {
      if (--left <= 0) {
        sums[i] = sum;
        return;
      }
      sum += left;
      at = in[at * 7 + i];
      if (at & 1)
        break;
    }
    sum += 1000;
    if (at & 2) {
      --left;
      sum += 100000;
    }
  }
}

/// A block that all lanes come by in the end, but some only after they have been round the loop: the others do not wait there.
__global__ void rounds(int *sums) {
  int i = threadInGrid(), left = 9, sum = 0;
  bool down = i % 3 == 0, ends = i % 7 == 0;
  for (;;) {
    if (left < 1 || down) {
      if (left < 2 || ends)
        break;
      --left;
      sum += 1;
    }
    --left;
    sum += 1000;
  }
  sums[i] = sum;
}

int main() {
  const int n = 500, words = 3, most = 96, length = 40;
  Random random(1);
  std::vector<unsigned> in(n * words);
  for (unsigned &word : in)
    word = random.bits() & random.bits() & random.bits() & (random.below(3) ? ~0u : 0);
  Buffer<unsigned> deviceIn(in);
  Buffer<int> out(n * most), count(n);
  bits<<<4, 125>>>(deviceIn, words, most, out, count);
  checkLaunch();
  std::vector<int> places = out.get(), counts = count.get();
  for (int i = 0; i < n; i++) {
    int found = 0;
    for (int word = 0; word < words; word++)
      for (int bit = 31; bit >= 0; bit--)
        if (in[i * words + word] >> bit & 1)
          expect("place", i, places[i * most + found++], word * 32 + bit);
    expect("count", i, counts[i], found);
  }

  std::vector<int> table(n + 16 * 7);
  for (int &entry : table)
    entry = random.below(16);
  Buffer<int> deviceTable(table), sums(n);
  steps<<<5, 100>>>(deviceTable, length, sums);
  checkLaunch();
  std::vector<int> got = sums.get();
  for (int i = 0; i < n; i++) {
    int at = table[i] & 15, left = length, sum = 0;
    while (--left > 0) {
      sum += left;
      at = table[at * 7 + i];
      if (at & 1) {
        sum += 1000;
        if (at & 2) {
          --left;
          sum += 100000;
        }
      }
    }
    expect("sum", i, got[i], sum);
  }

  rounds<<<5, 100>>>(sums);
  checkLaunch();
  got = sums.get();
  for (int i = 0; i < n; i++)
    expect("rounds", i, got[i], i % 3 != 0 ? 9000 : i % 7 == 0 ? 0 : 4004);
  return finish();
}
