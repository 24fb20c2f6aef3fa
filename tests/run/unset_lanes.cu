// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that hand over a variable which only the lane that is read has set: by value to functions
// of cooperative groups and of the program, inlined or not, and from functions.
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
#include "support.h"

#include <cooperative_groups.h>

#include <algorithm>

namespace cg = cooperative_groups;

enum Way { OfGroup, OfWarp, Inlined, Called, Returned };

__device__ inline unsigned first(unsigned value) { return __shfl_sync(__activemask(), value, 0); }

__device__ __noinline__ unsigned firstOfCall(unsigned value) {
  return __shfl_sync(__activemask(), value, 0);
}

__device__ __noinline__ unsigned reserve(unsigned *counter, unsigned count) {
  unsigned place;
  if (threadIdx.x % 32 == 0)
    place = atomicAdd(counter, count);
  return place;
}

/// Keeps the numbers that `step` divides, those of a warp side by side.
template <Way W>
__global__ void keep(const unsigned *in, unsigned n, unsigned step, unsigned *counter,
                     unsigned *out) {
  unsigned thread = threadIdx.x + blockIdx.x * blockDim.x;
  if (thread >= n)
    return;
  unsigned lane = threadIdx.x % 32, value = in[thread];
  bool keeps = value % step == 0;
  cg::coalesced_group active = cg::coalesced_threads();
  unsigned mask = active.ballot(keeps), place;
  if (W == Returned) {
    place = reserve(counter, __popc(mask));
  } else if (lane == 0) {
    if (mask != 0)
      place = atomicAdd(counter, __popc(mask));
  }
  switch (W) {
  case OfGroup:
    place = active.shfl(place, 0);
    break;
  case OfWarp:
  case Returned:
    place = __shfl_sync(__activemask(), place, 0);
    break;
  case Inlined:
    place = first(place);
    break;
  default:
    place = firstOfCall(place);
  }
  if (keeps)
    out[place + __popc(mask & ((1u << lane) - 1))] = value;
}

template <Way W> void test(const char *name) {
  constexpr unsigned N = 5000, Step = 3;
  Random random(1000 + W);
  std::vector<unsigned> in(N), kept;
  for (unsigned &value : in) {
    value = random.bits();
    if (value % Step == 0)
      kept.push_back(value);
  }
  Buffer<unsigned> input(in), counter(1), out(N);
  keep<W><<<(N + 127) / 128, 128>>>(input, N, Step, counter, out);
  checkLaunch();
  expect(name, -1, counter.get()[0], unsigned(kept.size()));
  std::vector<unsigned> got = out.get();
  got.resize(kept.size());
  std::sort(got.begin(), got.end());
  std::sort(kept.begin(), kept.end());
  expectAll(name, got, kept);
}

int main() {
  test<OfGroup>("of a group");
  test<OfWarp>("of a warp");
  test<Inlined>("inlined");
  test<Called>("called");
  test<Returned>("returned");
  return finish();
}
