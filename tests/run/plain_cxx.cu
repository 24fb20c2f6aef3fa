// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program may rely on in kernels' plain C++: memcpy and memset on all memories, unions, struct copies,
// string functions written by hand, static_assert, constexpr tables, restrict pointers, ldg and cache hints.
#include "support.h"

union Bits {
  float f;
  unsigned u;
  unsigned char bytes[4];
};
struct Block {
  int values[13];
  char text[7];
};
__device__ constexpr int squares[5] = {0, 1, 4, 9, 16};

__global__ void copies(const Block *__restrict__ in, Block *__restrict__ out, int n) {
  __shared__ Block tile[32];
  int i = threadInGrid(), t = threadInBlock();
  if (i >= n)
    return;
  Block local;
  memcpy(&local, in + i, sizeof local);
  memset(local.text + 2, 'z', i % 5);
  tile[t] = local;
  local = tile[t];
  memcpy(local.values + 1, tile[t].values + 5, 4 * (i % 4));
  Bits b;
  b.f = float(i);
  local.values[12] = int(b.u) + b.bytes[3] + squares[i % 5] + __ldg(&in[i].values[2]) + __ldcs(&in[i].values[3]);
  __stcg(&out[i].values[0], 0);
  out[i] = local;
}

int main() {
  const int n = 75;
  std::vector<Block> in(n), want(n);
  Random random(74);
  for (Block &b : in) {
    std::memset(&b, 0, sizeof b);
    for (int &v : b.values)
      v = random.below(1000);
    for (char &c : b.text)
      c = char('a' + random.below(26));
  }
  for (int i = 0; i < n; i++) {
    want[i] = in[i];
    std::memset(want[i].text + 2, 'z', i % 5);
    Block tile = want[i];
    std::memcpy(want[i].values + 1, tile.values + 5, 4 * (i % 4));
    float f = float(i);
    unsigned u;
    std::memcpy(&u, &f, 4);
    want[i].values[12] = int(u) + int(u >> 24) + (i % 5) * (i % 5) + in[i].values[2] + in[i].values[3];
  }
  Buffer<Block> deviceIn(in), out(n);
  copies<<<3, 32>>>(deviceIn, out, n);
  checkLaunch();
  std::vector<Block> got = out.get();
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 13; k++)
      expect("values", i * 100 + k, got[i].values[k], want[i].values[k]);
    for (int k = 0; k < 7; k++)
      expect("text", i * 100 + k, got[i].text[k], want[i].text[k]);
  }
  return finish();
}
