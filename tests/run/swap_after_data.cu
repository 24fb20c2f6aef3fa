// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=test-and-test-and-set %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As flag_after_data.cu, with a flag for each lane that is set by a compare-and-swap: one that finds the flag set
// must not have looked before the data were there for the thread that takes the flag.
#include "waiting.h"

constexpr int Lanes = 32, Line = 64; // ints: a line of its own for each lane

struct Places {
  int flag[Lanes * Line], data[Lanes * Line], found[Lanes * Line], turns[Line], end[Line], lost[Lanes];
};

__global__ void handOver(Places *places, int rounds) {
  int lane = threadIdx.x, own = lane * Line;
  int *flag = places->flag + own, *data = places->data + own, *found = places->found + own;
  if (blockIdx.x == 0) {
    int missing = 0;
    for (int i = 2; i <= 2 * rounds; i += 2) {
      put(data, i - 1);
      release();
      atomicCAS(flag, 0, 1);
      for (int delay = i % 64; delay > 0; --delay)
        look(places->end);
      put(data, i);
      release();
      atomicCAS(flag, 0, 1);
      // Who has come round three times has taken what was there. (All lanes go by what the first one sees of the turns: one
      // that saw more would leave before the others, and be the first to end the game.)
      __syncwarp();
      int before = __shfl_sync(~0u, look(places->turns), 0);
      while (__any_sync(~0u, look(found) != i) && __shfl_sync(~0u, look(places->turns), 0) - before < 3)
        ;
      acquire();
      missing += look(found) != i;
    }
    places->lost[lane] = missing;
    __syncwarp();
    __threadfence();
    put(places->end, 1);
  } else {
    for (int turn = 0; !look(places->end);) {
      if (atomicExch(flag, 0)) {
        acquire();
        put(found, look(data));
      }
      __syncwarp();
      release();
      if (lane == 0)
        put(places->turns, ++turn);
    }
  }
}

int main() {
  Buffer<Places> places(1);
  handOver<<<2, Lanes>>>(places, 10000);
  checkLaunch();
  Places end = places.get()[0];
  for (int lane = 0; lane < Lanes; ++lane)
    expect("lost", lane, end.lost[lane], 0);
  return finish();
}
