// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=load-before-atomic %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block writes a number, makes a release fence and sets a flag by an atomic `or`; another one takes the flag by an
// exchange and says which number it found. No number may get lost: after the last one the flag is set, or it was
// found.
#include "waiting.h"

constexpr int Line = 256; // ints, apart enough

__global__ void handOver(int *places, int rounds) {
  int *flag = places, *data = places + Line, *found = places + 2 * Line, *turns = places + 3 * Line,
      *lost = places + 4 * Line;
  if (blockIdx.x == 0) {
    int missing = 0;
    for (int i = 2; i <= 2 * rounds; i += 2) {
      put(data, i - 1);
      release();
      atomicOr(flag, 1);
      for (int delay = i % 64; delay > 0; --delay)
        look(lost);
      put(data, i);
      release();
      atomicOr(flag, 1);
      // Who has come round three times has taken what was there.
      int before = look(turns);
      while (look(found) != i && look(turns) - before < 3)
        ;
      missing += look(found) != i;
    }
    put(lost, missing);
    __threadfence();
    atomicOr(flag, 2);
  } else {
    int turn = 0;
    for (;;) {
      int seen = atomicExch(flag, 0);
      acquire();
      if (seen & 1)
        put(found, look(data));
      if (seen & 2)
        break;
      put(turns, ++turn);
    }
  }
}

int main() {
  Buffer<int> places(5 * Line);
  handOver<<<2, 1>>>(places, 4000);
  checkLaunch();
  expect("lost", 0, places.get()[4 * Line], 0);
  return finish();
}
