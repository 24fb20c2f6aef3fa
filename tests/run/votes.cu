// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __ballot_sync, __all_sync and __any_sync of whole warps.
#include "support.h"

__global__ void whole(const int *in, unsigned *out) {
  int t = threadIdx.x, v = in[t];
  unsigned *o = out + t * 6;
  o[0] = __ballot_sync(0xffffffff, v & 1);
  o[1] = __all_sync(0xffffffff, v >= 0) ? 1 : 0;
  o[2] = __any_sync(0xffffffff, v > 990) ? 1 : 0;
  o[3] = __ballot_sync(0xffffffff, (t & 31) % 3 == 0);
  o[4] = __ballot_sync(0xffffffff, 1);
  o[5] = __all_sync(0xffffffff, v) ? 1 : 0;
}

int main() {
  Random random(53);
  std::vector<int> in(96);
  for (int i = 0; i < 96; i++)
    in[i] = i < 32 ? random.below(1000) : i < 64 ? random.below(900) + 1 : random.below(2000) - 1000;
  Buffer<int> deviceIn(in);
  Buffer<unsigned> out(96 * 6);
  whole<<<1, 96>>>(deviceIn, out);
  checkLaunch();
  std::vector<unsigned> want;
  for (int t = 0; t < 96; t++) {
    unsigned r[6] = {0, 1, 0, 0x49249249u, 0xffffffffu, 1};
    for (int k = 0; k < 32; k++) {
      int v = in[t / 32 * 32 + k];
      r[0] |= unsigned(v & 1) << k, r[1] &= v >= 0, r[2] |= v > 990, r[5] &= v != 0;
    }
    want.insert(want.end(), r, r + 6);
  }
  expectAll("whole", out.get(), want);

  return finish();
}
