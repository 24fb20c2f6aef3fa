// RUN: %heddle run %s
// RUN: %heddle cc -DWITHOUT_COALESCED %s -o %t.exe
// RUN: %widths %t.exe
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: thread blocks, tiles of a warp, coalesced groups, their ranks, shuffles and votes. Which threads a coalesced
// group finds together is open; all that took the branch are together on a GPU and at width 32.
#include "support.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int Size> __device__ int sumTile(cg::thread_block_tile<Size> tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2)
    v += tile.shfl_down(v, d);
  return tile.shfl(v, 0);
}

__global__ void groups(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int s[128];
  int t = int(block.thread_rank()), n = int(block.size()), v = in[blockIdx.x * n + t];
  s[t] = v;
  block.sync();
  int neighbour = s[(t + 1) % n];
  cg::sync(block);
  auto warp = cg::tiled_partition<32>(block);
  auto four = cg::tiled_partition<4>(warp);
  int r = neighbour + 3 * sumTile<32>(warp, v) + 5 * sumTile<4>(four, v);
  r += int(four.thread_rank()) * 1000 + int(warp.meta_group_rank()) * 10000 + (four.any(v > 90) ? 7 : 0);
  r += warp.all(v >= 0) ? 11 : 0;
  r += int(warp.ballot(v & 1) >> 3 & 0xff);
  r += block.group_index().x * 13 + block.thread_index().y * 17;
#ifndef WITHOUT_COALESCED
  if (v % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    r += int(active.size()) * 19 + int(active.thread_rank()) * 23 + active.shfl(v, 0);
  }
#endif
  warp.sync();
  out[blockIdx.x * n + t] = r;
}

int main() {
  Random random(73);
  for (dim3 shape : {dim3(128), dim3(16, 4)}) {
    int n = shape.x * shape.y, blocks = 3;
    std::vector<int> in(n * blocks), want;
    for (int &v : in)
      v = random.below(100);
    for (int b = 0; b < blocks; b++)
      for (int t = 0; t < n; t++) {
        const int *x = &in[b * n], w = t / 32 * 32, f = t / 4 * 4;
        int sumWarp = 0, sumFour = 0, any = 0, ballot = 0, size = 0, rank = 0, first = -1;
        for (int k = 0; k < 32; k++) {
          sumWarp += x[w + k];
          if (x[w + k] & 1)
            ballot |= int(1u << k);
          if (x[w + k] % 3 == 0) {
            if (first < 0)
              first = x[w + k];
            if (w + k < t)
              rank++;
            size++;
          }
        }
        for (int k = 0; k < 4; k++)
          sumFour += x[f + k], any |= x[f + k] > 90;
        int r = x[(t + 1) % n] + 3 * sumWarp + 5 * sumFour + t % 4 * 1000 + t / 32 * 10000 + any * 7 + 11;
        r += int(unsigned(ballot) >> 3 & 0xff) + b * 13 + t / int(shape.x) * 17;
#ifndef WITHOUT_COALESCED
        if (x[t] % 3 == 0)
          r += size * 19 + rank * 23 + first;
#endif
        want.push_back(r);
      }
    Buffer<int> deviceIn(in), out(in.size());
    groups<<<blocks, shape>>>(deviceIn, out);
    checkLaunch();
    expectAll("groups", out.get(), want);
  }
  return finish();
}
