// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: env HEDDLE_WIDTH=32 %t
// RUN: %heddle cc -DTOGETHER %s -o %t.1
// RUN: %widths %t.1
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of lanes that are no neighbours: labelled and binary partitions, tiles of coalesced threads, and all that
// they can do; coalesced ones also in a warp that is not whole. Which threads a branch finds together is open (below width
// 32 the parts of a warp go apart), so with TOGETHER the coalesced threads are those of a partition.
#include "support.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

struct Result {
  unsigned rank, size, metaRank, metaSize, ballot, same, allSame;
  int any, all, isAllSame, first, up, down, sum, most, inclusive, exclusive, product, told;
  long long wide;
};

struct Multiply {
  __host__ __device__ int operator()(int a, int b) const { return a * b; }
};

__device__ void compute(const cg::coalesced_group &g, int v, Result &r) {
  r.rank = g.thread_rank();
  r.size = g.num_threads();
  r.metaRank = g.meta_group_rank();
  r.metaSize = g.meta_group_size();
  r.any = g.any(v % 10 == 3) != 0;
  r.all = g.all(v > 4) != 0;
  r.ballot = g.ballot(v & 1);
  r.same = g.match_any(v % 3);
  int all = 0;
  unsigned allSame = g.match_all(v / 90, all);
  r.allSame = all ? allSame : 0;
  r.isAllSame = all != 0;
  r.first = g.shfl(v, 0);
  r.up = g.shfl_up(v, 2);
  r.down = g.shfl_down(v, 1);
  r.sum = cg::reduce(g, v, cg::plus<int>());
  r.most = cg::reduce(g, v, cg::greater<int>());
  r.product = cg::reduce(g, v & 3, Multiply());
  r.inclusive = cg::inclusive_scan(g, v);
  r.exclusive = cg::exclusive_scan(g, v, cg::plus<int>());
  r.wide = cg::reduce(g, v * 10000000019ll, cg::plus<long long>());
  r.told = 0;
  cg::invoke_one(g, [&] { r.told = 1; });
  r.told += 2 * cg::invoke_one_broadcast(g, [](int x) { return x * 5; }, int(g.size()));
  g.sync();
}

enum Kind { Labelled, LabelledOfTile, Binary, TilesOfBinary, RuntimeTiles, Coalesced };

__device__ bool isWith(int v) { return v % 3 != 1; }

template <Kind K> __device__ void form(int v, Result &r) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if constexpr (K == Labelled)
    compute(cg::labeled_partition(warp, v % 5), v, r);
  else if constexpr (K == LabelledOfTile)
    compute(cg::labeled_partition(cg::tiled_partition<8>(warp), (long long)(v % 2) << 40), v, r);
  else if constexpr (K == Binary)
    compute(cg::binary_partition(warp, isWith(v)), v, r);
  else if constexpr (K == TilesOfBinary)
    compute(cg::tiled_partition(cg::binary_partition(warp, isWith(v)), 4), v, r);
  else if constexpr (K == RuntimeTiles)
    compute(cg::tiled_partition(cg::binary_partition(warp, isWith(v)), 2), v, r);
  else if (isWith(v))
    compute(cg::coalesced_threads(), v, r);
}

template <Kind K> __global__ void partitions(const int *in, Result *out) {
  int at = int(blockIdx.x * blockDim.x + threadIdx.x);
  form<K>(in[at], out[at]);
}

/// The threads of a warp that make a group with lane `lane`, and which group of how many that is.
struct Group {
  std::vector<int> lanes;
  unsigned metaRank = 0, metaSize = 1;
};
Group groupOf(Kind kind, const int *v, int lanes, int lane) {
  Group g;
  int tile = kind == LabelledOfTile ? lane / 8 * 8 : 0, end = kind == LabelledOfTile ? tile + 8 : lanes;
  auto label = [&](int i) {
    return kind == Labelled ? v[i] % 5 : kind == LabelledOfTile ? v[i] % 2 : int(v[i] % 3 != 1);
  };
  for (int i = tile; i < end; i++)
    if (label(i) == label(lane))
      g.lanes.push_back(i);
  if (kind == Labelled || kind == LabelledOfTile) {
    // In the order of their first threads, as on an H200.
    std::vector<int> labels;
    for (int i = tile; i < end; i++)
      if (std::find(labels.begin(), labels.end(), label(i)) == labels.end())
        labels.push_back(label(i));
    g.metaSize = unsigned(labels.size());
    g.metaRank = unsigned(std::find(labels.begin(), labels.end(), label(lane)) - labels.begin());
  }
  if (kind == Binary)
    g.metaSize = 2, g.metaRank = unsigned(label(lane));
  unsigned part = kind == TilesOfBinary ? 4 : 2;
  if (kind == TilesOfBinary || kind == RuntimeTiles) {
    size_t rank = size_t(std::find(g.lanes.begin(), g.lanes.end(), lane) - g.lanes.begin()) / part;
    g.metaRank = unsigned(rank);
    g.metaSize = unsigned((g.lanes.size() + part - 1) / part);
    std::vector<int> mine(g.lanes.begin() + rank * part,
                          g.lanes.begin() + std::min(g.lanes.size(), (rank + 1) * part));
    g.lanes = mine;
  }
  return g;
}

#define EXPECT(field, value) expect(name + "." #field, at, r.field, value)

void check(const std::string &name, Kind kind, const int *v, int lanes, const Result *got, int first) {
  for (int lane = 0; lane < lanes; lane++) {
    if (kind == Coalesced && v[lane] % 3 == 1)
      continue;
    Group g = groupOf(kind, v, lanes, lane);
    const Result &r = got[lane];
    int at = first + lane, n = int(g.lanes.size()), rank = 0, sum = 0, most = 0, before = 0, product = 1;
    unsigned ballot = 0, same = 0;
    bool any = false, all = true, allSame = true;
    for (int i = 0; i < n; i++) {
      int other = v[g.lanes[i]];
      if (g.lanes[i] == lane)
        rank = i, before = sum;
      sum += other, most = std::max(most, other), product *= other & 3;
      ballot |= unsigned(other & 1) << i, same |= unsigned(other % 3 == v[lane] % 3) << i;
      any |= other % 10 == 3, all &= other > 4, allSame &= other / 90 == v[lane] / 90;
    }
    auto value = [&](int i) { return v[g.lanes[i]]; };
    EXPECT(rank, unsigned(rank));
    EXPECT(size, unsigned(n));
    EXPECT(metaSize, g.metaSize);
    EXPECT(metaRank, g.metaRank);
    EXPECT(any, int(any));
    EXPECT(all, int(all));
    EXPECT(ballot, ballot);
    EXPECT(same, same);
    EXPECT(isAllSame, int(allSame));
    EXPECT(allSame, allSame ? unsigned((1ull << n) - 1) : 0);
    EXPECT(first, value(0));
    EXPECT(up, value(rank >= 2 ? rank - 2 : rank));
    EXPECT(down, value(rank + 1 < n ? rank + 1 : rank));
    EXPECT(sum, sum);
    EXPECT(most, most);
    EXPECT(product, product);
    EXPECT(inclusive, before + v[lane]);
    EXPECT(exclusive, before);
    EXPECT(wide, sum * 10000000019ll);
    EXPECT(told, (rank == 0) + 10 * n);
  }
}

template <Kind K> void test(const std::string &name, int threads, Random &random) {
  int blocks = 2, n = blocks * threads;
  std::vector<int> in(n);
  for (int &v : in)
    v = random.below(100);
  Buffer<int> deviceIn(in);
  Buffer<Result> out(n);
  partitions<K><<<blocks, threads>>>(deviceIn, out);
  checkLaunch();
  std::vector<Result> got = out.get();
  for (int b = 0; b < blocks; b++)
    for (int w = 0; w < threads; w += 32)
      check(name, K, &in[b * threads + w], std::min(32, threads - w), &got[b * threads + w], b * threads + w);
}

int main() {
  Random random(1801);
  test<Labelled>("labelled", 32, random);
  test<Labelled>("labelled", 160, random);
  test<LabelledOfTile>("labelled tiles", 96, random);
  test<Binary>("binary", 160, random);
  test<TilesOfBinary>("tiles of binary", 96, random);
  test<RuntimeTiles>("runtime tiles", 96, random);
#ifndef TOGETHER
  for (int threads : {96, 77, 5})
    test<Coalesced>("coalesced", threads, random);
#endif
  return finish();
}
