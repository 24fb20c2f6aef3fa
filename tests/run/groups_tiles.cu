// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// REQUIRES: slow
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of 1 to 512 threads, of blocks and of larger tiles: ranks, votes, shuffles, reductions and
// prefix sums, called by all tiles, by some of a block, and by tiles in loops of different lengths.
#include "support.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

/// Of 16 bytes, which goes to others in pieces.
struct Span {
  int low, high;
  long long sum;
};
struct Join {
  __host__ __device__ Span operator()(const Span &a, const Span &b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.sum + b.sum};
  }
};

struct Result {
  unsigned rank, size, metaRank, metaSize;
  int any, all, fromLast;
  int sum, least, most, both, either, odd;
  unsigned greatest;
  long long longSum;
  double doubleSum;
  Span span, spanFromFirst;
  int inclusive, exclusive, running, before;
  Span spans;
};

constexpr int Rounds = 3;

template <class Tile> __device__ void compute(const Tile &tile, Result &r, int v) {
  r.rank = tile.thread_rank();
  r.size = tile.size();
  r.metaRank = tile.meta_group_rank();
  r.metaSize = tile.meta_group_size();
  r.any = tile.any(v == 7) != 0;
  r.all = tile.all(v < 96) != 0;
  r.fromLast = tile.shfl(v, tile.size() - 1);
  r.sum = cg::reduce(tile, v, cg::plus<int>());
  r.least = cg::reduce(tile, v, cg::less<int>());
  r.most = cg::reduce(tile, v, cg::greater<int>());
  r.both = cg::reduce(tile, v | 64, cg::bit_and<int>());
  r.either = cg::reduce(tile, v & 63, cg::bit_or<int>());
  r.odd = cg::reduce(tile, v, cg::bit_xor<int>());
  r.greatest = cg::reduce(tile, unsigned(v) * 0x2000001u, cg::greater<unsigned>());
  r.longSum = cg::reduce(tile, v * 0x100000001ll, cg::plus<long long>());
  r.doubleSum = cg::reduce(tile, v * 0.5, cg::plus<double>());
  r.inclusive = cg::inclusive_scan(tile, v);
  r.exclusive = cg::exclusive_scan(tile, v);
  r.running = cg::inclusive_scan(tile, v, cg::greater<int>());
  r.before = cg::exclusive_scan(tile, v, cg::bit_or<int>());
  if constexpr (Tile::num_threads() <= 32) { // larger ones take up to 8 bytes
    Span own = {v, v, v * 3000000000ll};
    r.span = cg::reduce(tile, own, Join());
    r.spanFromFirst = tile.shfl(own, 0);
    r.spans = cg::inclusive_scan(tile, own, Join());
  }
}

template <int Size, int Outer> __device__ auto tileOf(const cg::thread_block &block) {
  if constexpr (Outer == 0)
    return cg::tiled_partition<Size>(block);
  else
    return cg::tiled_partition<Size>(cg::tiled_partition<Outer>(block));
}

/// `Size` threads of the block, or of a tile of `Outer`. Tiles with the bit of their number in `who`
/// call, each a number of times.
template <int Size, int Outer>
__global__ void tiles(const int *in, Result *out, unsigned who) {
  __shared__ cg::block_tile_memory<1024> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  int n = int(block.size()), t = int(block.thread_rank()), at = int(blockIdx.x) * n + t;
  auto tile = tileOf<Size, Outer>(block); // all threads make tiles
  if ((who >> (t / Size % 32) & 1) == 0)
    return;
  for (int round = 0; round <= t / Size % Rounds; round++)
    compute(tile, out[at], in[at] ^ round);
}

#define EXPECT(field, value) expect(name + "." #field, at, got[at].field, value)

template <int Size, int Outer> void test(int blocks, int threads, unsigned who, Random &random) {
  int n = blocks * threads;
  std::vector<int> in(n);
  for (int &v : in)
    v = random.below(100);
  Buffer<int> deviceIn(in);
  Buffer<Result> out(n);
  tiles<Size, Outer><<<blocks, threads>>>(deviceIn, out, who);
  checkLaunch();
  std::vector<Result> got = out.get();
  std::string name = std::to_string(Size) + " of " + std::to_string(Outer ? Outer : threads);
  for (int first = 0; first < n; first += Size) {
    int tile = first % threads / Size;
    if ((who >> (tile % 32) & 1) == 0)
      continue;
    int round = tile % Rounds;
    auto value = [&](int i) { return in[first + i] ^ round; };
    int sum = 0, both = -1, either = 0, odd = 0, least = 1000, most = 0;
    unsigned greatest = 0;
    bool any = false, all = true;
    Span span = {1000, -1, 0};
    for (int i = 0; i < Size; i++) {
      int v = value(i);
      sum += v, both &= v | 64, either |= v & 63, odd ^= v;
      least = std::min(least, v), most = std::max(most, v);
      greatest = std::max(greatest, unsigned(v) * 0x2000001u);
      any |= v == 7, all &= v < 96;
      span = Join()(span, {v, v, v * 3000000000ll});
    }
    int before = 0, running = 0, bits = 0;
    Span spans = {1000, -1, 0}, zeroth = {value(0), value(0), value(0) * 3000000000ll};
    for (int i = 0; i < Size; i++) {
      int at = first + i, v = value(i);
      EXPECT(rank, unsigned(i));
      EXPECT(size, unsigned(Size));
      EXPECT(metaRank, unsigned(Outer ? first % Outer / Size : tile));
      EXPECT(metaSize, unsigned((Outer ? Outer : threads) / Size));
      EXPECT(any, int(any));
      EXPECT(all, int(all));
      EXPECT(fromLast, value(Size - 1));
      EXPECT(sum, sum);
      EXPECT(least, least);
      EXPECT(most, most);
      EXPECT(both, both);
      EXPECT(either, either);
      EXPECT(odd, odd);
      EXPECT(greatest, greatest);
      EXPECT(longSum, sum * 0x100000001ll);
      EXPECT(doubleSum, sum * 0.5);
      if (Size <= 32) {
        EXPECT(span, span);
        EXPECT(spanFromFirst, zeroth);
      }
      EXPECT(exclusive, before);
      EXPECT(before, bits);
      before += v, running = std::max(running, v), bits |= v;
      spans = Join()(spans, {v, v, v * 3000000000ll});
      EXPECT(inclusive, before);
      EXPECT(running, running);
      if (Size <= 32)
        EXPECT(spans, spans);
    }
  }
}

int main() {
  Random random(811);
  for (unsigned who : {~0u, 0x5au | 1u}) {
    test<1, 0>(2, 64, who, random);
    test<2, 0>(1, 96, who, random);
    test<8, 0>(2, 64, who, random);
    test<32, 0>(2, 160, who, random);
    test<4, 16>(1, 64, who, random);
    test<64, 0>(2, 256, who, random);
    test<128, 0>(1, 384, who, random);
    test<256, 0>(1, 1024, who, random);
    test<512, 0>(2, 512, who, random);
  }
  test<16, 128>(1, 256, ~0u, random);
  test<64, 256>(2, 512, ~0u, random);
  return finish();
}
