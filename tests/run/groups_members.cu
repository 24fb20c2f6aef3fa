// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups whose kind is known at run time only, barriers in two pieces, copies by groups, and sums that go on from
// an atomic variable.
#include "support.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <utility>
namespace cg = cooperative_groups;

#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
using Counter = cuda::atomic<int, cuda::thread_scope_device>;
#else
/// What the headers use of cuda::atomic.
class Counter {
public:
  __host__ __device__ Counter(int value) : value_(value) {}
  __device__ int load() const { return *(const volatile int *)&value_; }
  __device__ void store(int value) { *(volatile int *)&value_ = value; }
  __device__ bool compare_exchange_weak(int &expected, int desired) {
    int was = atomicCAS(&value_, expected, desired);
    bool done = was == expected;
    expected = was;
    return done;
  }

private:
  int value_;
};
#endif

/// The guide's sum over any group, of a kind that is known at run time only.
template <class Group = cg::thread_group> __device__ int sum(const Group &g, volatile int *scratch, int v) {
  int rank = int(g.thread_rank());
  for (int i = int(g.size()) / 2; i > 0; i /= 2) {
    scratch[rank] = v;
    g.sync();
    if (rank < i)
      v += scratch[rank + i];
    g.sync();
  }
  return v;
}

enum Kind { Block, Warp, Four, RuntimeFour, OfRuntime, Wide, Kinds };
int sizeOf(int kind, int threads) {
  const int sizes[Kinds] = {threads, 32, 4, 4, 2, 64};
  return sizes[kind];
}

__global__ void sums(int kind, const int *in, int *out) {
  __shared__ int scratch[256];
  cg::thread_block block = cg::this_thread_block();
  int t = int(block.thread_rank()), at = int(blockIdx.x * blockDim.x) + t, v = in[at], got = 0, first = 0;
  if (kind == Block)
    got = sum<cg::thread_group>(block, scratch, v);
  else if (kind == Warp)
    first = t / 32 * 32, got = sum<cg::thread_group>(cg::tiled_partition<32>(block), scratch + first, v);
  else if (kind == Four)
    first = t / 4 * 4, got = sum<cg::thread_group>(cg::tiled_partition<4>(block), scratch + first, v);
  else if (kind == RuntimeFour)
    first = t / 4 * 4, got = sum(cg::tiled_partition(block, 4), scratch + first, v);
  else if (kind == OfRuntime)
    first = t / 2 * 2, got = sum(cg::tiled_partition(cg::tiled_partition(block, 16), 2), scratch + first, v);
  else
    first = t / 64 * 64, got = sum(cg::tiled_partition<64>(block), scratch + first, v);
  if (t == first)
    out[at] = got;
}

void testSums(Random &random) {
  int threads = 128, blocks = 3, n = threads * blocks;
  std::vector<int> in(n);
  for (int &v : in)
    v = random.below(1000);
  Buffer<int> deviceIn(in);
  for (int kind = 0; kind < Kinds; kind++) {
    Buffer<int> out(n);
    sums<<<blocks, threads>>>(kind, deviceIn, out);
    checkLaunch();
    std::vector<int> want(n);
    int size = sizeOf(kind, threads);
    for (int i = 0; i < n; i++)
      want[i / size * size] += in[i];
    expectAll("sums " + std::to_string(kind), out.get(), want);
  }
}

/// Barriers in two pieces: of the block, and of the grid.
__global__ void pieces(const int *in, int *middle, int *out) {
  __shared__ int s[96];
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  int t = int(block.thread_rank()), n = int(block.size()), at = int(grid.thread_rank());
  s[t] = in[at];
  auto token = block.barrier_arrive();
  int own = in[at] * 2;
  block.barrier_wait(std::move(token));
  middle[at] = s[n - 1 - t] + own;
  auto all = grid.barrier_arrive();
  int between = t * 7;
  grid.barrier_wait(std::move(all));
  out[at] = middle[grid.size() - 1 - at] + between + (grid.is_valid() ? 1 : 0);
}

void testPieces() {
  int blocks = 3, threads = 96, n = blocks * threads;
  std::vector<int> in(n), middle(n), want(n);
  for (int i = 0; i < n; i++)
    in[i] = i * 31 % 97;
  for (int i = 0; i < n; i++)
    middle[i] = in[i / threads * threads + threads - 1 - i % threads] + 2 * in[i];
  for (int i = 0; i < n; i++)
    want[i] = middle[n - 1 - i] + i % threads * 7 + 1;
  Buffer<int> deviceIn(in), deviceMiddle(n), out(n);
  const int *from = deviceIn;
  int *m = deviceMiddle, *o = out;
  void *args[] = {&from, &m, &o};
  CUDA_OK(cudaLaunchCooperativeKernel((void *)pieces, dim3(blocks), dim3(threads), args, 0, nullptr));
  checkLaunch();
  expectAll("pieces", out.get(), want);
}

struct Triple {
  short a, b, c;
};

/// Copies by a block, a tile, and coalesced threads; by bytes and by elements; of any alignment.
__global__ void copies(const Triple *in, Triple *out, int n, int outLength) {
  extern __shared__ Triple tile[];
  cg::thread_block block = cg::this_thread_block();
  in += blockIdx.x * n, out += blockIdx.x * outLength * 4;
  cg::memcpy_async(block, tile, in, sizeof(Triple) * n);
  cg::wait(block);
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x))
    tile[i].b = short(tile[i].b + 1);
  block.sync();
  cg::memcpy_async(block, out, outLength, tile, n); // in elements: the shorter one counts
  cg::wait_prior<0>(block);
  auto warp = cg::tiled_partition<32>(block);
  if (warp.meta_group_rank() == 0)
    cg::memcpy_async(warp, out + outLength, tile + 1, sizeof(Triple) * (n - 1));
  if (warp.meta_group_rank() == warp.meta_group_size() - 1)
    cg::memcpy_async(warp, (char *)(out + 2 * outLength) + 1, (const char *)tile, sizeof(Triple) * 3);
  cg::wait(warp);
}

void testCopies(int n, int outLength, int threads) {
  int blocks = 2;
  std::vector<Triple> in(n * blocks), want(blocks * outLength * 4);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = {short(i), short(i * 7), short(i * 13)};
  for (int b = 0; b < blocks; b++) {
    std::vector<Triple> tile(in.begin() + b * n, in.begin() + (b + 1) * n);
    for (Triple &t : tile)
      t.b = short(t.b + 1);
    Triple *to = &want[b * outLength * 4];
    std::memcpy(to, tile.data(), sizeof(Triple) * std::min(n, outLength));
    std::memcpy(to + outLength, tile.data() + 1, sizeof(Triple) * (n - 1));
    std::memcpy((char *)(to + 2 * outLength) + 1, tile.data(), sizeof(Triple) * 3);
  }
  Buffer<Triple> deviceIn(in), out(want.size());
  copies<<<blocks, threads, n * sizeof(Triple)>>>(deviceIn, out, n, outLength);
  checkLaunch();
  expectAll("copies " + std::to_string(n), out.get(), want);
}

/// Sums that go on from what an atomic variable holds.
__global__ void updates(const int *in, Counter *counters, int *inclusive, int *exclusive) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int at = int(blockIdx.x * blockDim.x + threadIdx.x), v = in[at];
  cg::reduce_update_async(tile, counters[0], v, cg::plus<int>());
  cg::reduce_update_async(tile, counters[1], v, cg::greater<int>());
  if (at / 16 == 2)
    cg::reduce_store_async(tile, counters[2], v, cg::plus<int>());
  inclusive[at] = cg::inclusive_scan_update(tile, counters[3], v, cg::plus<int>()) - v;
  exclusive[at] = cg::exclusive_scan_update(tile, counters[4], v);
}

void testUpdates(Random &random) {
  int n = 192, total = 0, most = 0, third = 0;
  std::vector<int> in(n);
  for (int i = 0; i < n; i++) {
    total += in[i] = random.below(100) + 1, most = std::max(most, in[i]);
    third += i / 16 == 2 ? in[i] : 0;
  }
  Buffer<int> deviceIn(in), inclusive(n), exclusive(n), counters(5);
  counters.put({5, 0, 0, 1000, 2000});
  updates<<<3, 64>>>(deviceIn, reinterpret_cast<Counter *>(counters.data), inclusive, exclusive);
  checkLaunch();
  expectAll("counters", counters.get(), {5 + total, most, third, 1000 + total, 2000 + total});
  // Tiles come in any order: each value has a stretch of its own, a tile's one behind the other.
  for (const std::vector<int> &starts : {inclusive.get(), exclusive.get()}) {
    int least = starts[0];
    for (int i = 0; i < n; i++) {
      least = std::min(least, starts[i]);
      if (i % 16)
        expect("in a tile", i, starts[i] - starts[i - 1], in[i - 1]);
    }
    expectTrue("goes on from the counter", least == 1000 || least == 2000);
    std::vector<char> taken(total);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < in[i]; k++) {
        int at = starts[i] - least + k;
        expectTrue("a stretch", at >= 0 && at < total && !taken[at]);
        if (at >= 0 && at < total)
          taken[at] = 1;
      }
  }
}

int main() {
  Random random(4003);
  testSums(random);
  testPieces();
  testCopies(100, 100, 64);
  testCopies(61, 70, 96);
  testCopies(200, 77 + 130, 32);
  testUpdates(random);
  return finish();
}
