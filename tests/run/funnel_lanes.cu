// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %if x86 %{ env HEDDLE_WIDTH=64 HEDDLE_CPU=x86-64-v3 %t %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Funnel shifts by amounts that follow from the lane, and are 0 in some of them.
#include "support.h"

__global__ void shift(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, lane = t & 31, x = in[t], n = blockDim.x;
  unsigned byLane = lane << (t & 31); // a multiple of 32 from lane 16 on
  out[t] = __funnelshift_l(x, t >> 24, byLane);
  out[n + t] = __funnelshift_r(t >> 24, x, byLane);
  out[2 * n + t] = __funnelshift_l(x, x * 3, lane & 7);
  out[3 * n + t] = __funnelshift_r(x, 0, lane & 24);
  out[4 * n + t] = (lane & 28) == 0 ? x : x << (lane & 28) | (t * 5) >> (32 - (lane & 28));
  out[5 * n + t] = __funnelshift_l(x, x, lane * 8);
}

static unsigned left(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by == 0 ? high : high << by | low >> (32 - by);
}
static unsigned right(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by == 0 ? low : low >> by | high << (32 - by);
}

int main() {
  for (unsigned n : {32u, 100u, 256u}) {
    std::vector<unsigned> in(n), want(6 * n);
    for (unsigned t = 0; t < n; ++t) {
      unsigned x = in[t] = t * 2654435761u + 77, lane = t % 32, byLane = lane << lane;
      want[t] = left(x, 0, byLane);
      want[n + t] = right(0, x, byLane);
      want[2 * n + t] = left(x, x * 3, lane & 7);
      want[3 * n + t] = right(x, 0, lane & 24);
      want[4 * n + t] = left(t * 5, x, lane & 28);
      want[5 * n + t] = left(x, x, lane * 8);
    }
    Buffer<unsigned> from(in), to(6 * n);
    shift<<<1, n>>>(from, to);
    checkLaunch();
    expectAll("shifted", to.get(), want);
  }
  return finish();
}
