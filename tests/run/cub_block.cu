// REQUIRES: slow
// RUN: %nvcc %s -o %t
// RUN: %t
// RUN: %all %widths %t
// RUN: %heddle check --tool all --error-exitcode 9 --kernel-regex-exclude 'kns=scanTile<77' %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB's collectives of blocks and warps in kernels, as the system has it: loads and stores, sums, scans, sorts,
// exchanges, histograms, heads of runs. (CUB's raking sum by 26 threads has a race: docs/check.md.)
#include "support.h"

#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

constexpr int Items = 5;

/// Loads a tile through shared memory, scans and sums it, stores it the same way.
template <int Threads, cub::BlockScanAlgorithm Scan, cub::BlockReduceAlgorithm Reduce>
__global__ void scanTile(const int *in, int *scanned, int *sum, int valid) {
  using Load = cub::BlockLoad<int, Threads, Items, Threads % 32 ? cub::BLOCK_LOAD_TRANSPOSE : cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, Threads, Items, cub::BLOCK_STORE_TRANSPOSE>;
  using BlockScan = cub::BlockScan<int, Threads, Scan>;
  using BlockReduce = cub::BlockReduce<int, Threads, Reduce>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename BlockScan::TempStorage scan;
    typename BlockReduce::TempStorage reduce;
  } shared;
  int items[Items], result[Items];
  Load(shared.load).Load(in, items, valid, 0);
  __syncthreads();
  const int total = BlockReduce(shared.reduce).Sum(items);
  __syncthreads();
  BlockScan(shared.scan).InclusiveSum(items, result);
  __syncthreads();
  Store(shared.store).Store(scanned, result, valid);
  if (threadIdx.x == 0)
    *sum = total;
}

template <int Threads, cub::BlockScanAlgorithm Scan, cub::BlockReduceAlgorithm Reduce>
void testScan(Random &random, const char *name) {
  for (int valid : {Threads * Items, Threads * Items - 3, 1}) {
    std::vector<int> in(Threads * Items), want(Threads * Items);
    for (int &x : in)
      x = random.below(2000) - 1000;
    std::partial_sum(in.begin(), in.begin() + valid, want.begin());
    Buffer<int> source(in), scanned(in.size()), sum(1);
    scanTile<Threads, Scan, Reduce><<<1, Threads>>>(source, scanned, sum, valid);
    checkLaunch();
    expectAll(name, scanned.get(), want);
    expect(name, valid, sum.get()[0], want[valid - 1]);
  }
}

/// Sorts pairs by some bits of the keys, in a tile of a block; descending.
__global__ void sortTile(unsigned *keys, int *values, int firstBit, int endBit) {
  using Sort = cub::BlockRadixSort<unsigned, 128, Items, int>;
  __shared__ typename Sort::TempStorage shared;
  unsigned k[Items];
  int v[Items];
  cub::LoadDirectBlocked(threadIdx.x, keys, k);
  cub::LoadDirectBlocked(threadIdx.x, values, v);
  Sort(shared).SortDescending(k, v, firstBit, endBit);
  cub::StoreDirectBlocked(threadIdx.x, keys, k);
  cub::StoreDirectBlocked(threadIdx.x, values, v);
}

void testSort(Random &random) {
  constexpr int Count = 128 * Items;
  for (auto [first, end] : {std::pair(0, 32), std::pair(3, 11)}) {
    std::vector<unsigned> keys(Count);
    std::vector<int> values(Count);
    std::iota(values.begin(), values.end(), 0);
    for (unsigned &k : keys)
      k = random.bits();
    std::vector<int> want = values;
    const unsigned mask = end - first == 32 ? ~0u : (1u << (end - first)) - 1;
    std::stable_sort(want.begin(), want.end(), [&](int a, int b) {
      return (keys[a] >> first & mask) > (keys[b] >> first & mask);
    });
    Buffer<unsigned> deviceKeys(keys);
    Buffer<int> deviceValues(values);
    sortTile<<<1, 128>>>(deviceKeys, deviceValues, first, end);
    checkLaunch();
    expectAll("BlockRadixSort", deviceValues.get(), want);
  }
}

struct Greater {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a > b; }
};

__global__ void mergeSortTile(float *keys) {
  using Sort = cub::BlockMergeSort<float, 64, 4>;
  __shared__ typename Sort::TempStorage shared;
  float k[4];
  cub::LoadDirectBlocked(threadIdx.x, keys, k);
  Sort(shared).Sort(k, Greater());
  cub::StoreDirectBlocked(threadIdx.x, keys, k);
}

void testMergeSort(Random &random) {
  std::vector<float> keys(64 * 4);
  for (float &k : keys)
    k = float(random.between(-1, 1));
  Buffer<float> device(keys);
  mergeSortTile<<<1, 64>>>(device);
  checkLaunch();
  std::sort(keys.begin(), keys.end(), std::greater<float>());
  expectAll("BlockMergeSort", device.get(), keys);
}

/// Histogram of bytes, heads of runs, and an exchange from blocked to striped.
__global__ void tileFacts(const unsigned char *in, unsigned *bins, int *heads, unsigned char *striped) {
  using Histogram = cub::BlockHistogram<unsigned char, 64, Items, 256>;
  using Discontinuity = cub::BlockDiscontinuity<unsigned char, 64>;
  using Exchange = cub::BlockExchange<unsigned char, 64, Items>;
  __shared__ typename Histogram::TempStorage histogram;
  __shared__ typename Discontinuity::TempStorage discontinuity;
  __shared__ typename Exchange::TempStorage exchange;
  __shared__ unsigned counts[256];
  unsigned char items[Items];
  int flags[Items];
  cub::LoadDirectBlocked(threadIdx.x, in, items);
  Discontinuity(discontinuity).FlagHeads(flags, items, cub::Inequality());
  cub::StoreDirectBlocked(threadIdx.x, heads, flags);
  Histogram(histogram).Histogram(items, counts);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    bins[i] = counts[i];
  cub::LoadDirectBlocked(threadIdx.x, in, items); // the histogram has sorted them
  Exchange(exchange).BlockedToStriped(items, items);
  cub::StoreDirectBlocked(threadIdx.x, striped, items);
}

void testFacts(Random &random) {
  constexpr int Count = 64 * Items;
  std::vector<unsigned char> in(Count), wantStriped(Count);
  std::vector<unsigned> wantBins(256);
  std::vector<int> wantHeads(Count);
  for (int i = 0; i < Count; i++) {
    in[i] = i && random.below(3) ? in[i - 1] : (unsigned char)random.below(256);
    wantBins[in[i]]++;
    wantHeads[i] = i == 0 || in[i] != in[i - 1];
  }
  for (int i = 0; i < Count; i++)
    wantStriped[i] = in[i % Items * 64 + i / Items];
  Buffer<unsigned char> source(in), striped(Count);
  Buffer<unsigned> bins(256);
  Buffer<int> heads(Count);
  tileFacts<<<1, 64>>>(source, bins, heads, striped);
  checkLaunch();
  expectAll("BlockHistogram", bins.get(), wantBins);
  expectAll("BlockDiscontinuity", heads.get(), wantHeads);
  expectAll("BlockExchange", striped.get(), wantStriped);
}

/// In warps of 32 and of 8 threads.
template <int Lanes> __global__ void warpFacts(const int *in, int *sums, int *scans, int *most) {
  using Reduce = cub::WarpReduce<int, Lanes>;
  using Scan = cub::WarpScan<int, Lanes>;
  constexpr int Warps = 96 / Lanes;
  __shared__ typename Reduce::TempStorage reduce[Warps];
  __shared__ typename Scan::TempStorage scan[Warps];
  const int t = threadIdx.x, warp = t / Lanes, v = in[t];
  const int sum = Reduce(reduce[warp]).Sum(v);
  int before;
  Scan(scan[warp]).ExclusiveSum(v, before);
  __syncwarp();
  const int top = Reduce(reduce[warp]).Reduce(v, cub::Max(), Lanes - 2); // of the first lanes
  scans[t] = before;
  if (t % Lanes == 0)
    sums[warp] = sum, most[warp] = top;
}

template <int Lanes> void testWarps(Random &random) {
  std::vector<int> in(96), wantSums(96 / Lanes), wantScans(96), wantMost(96 / Lanes, -1);
  for (int i = 0; i < 96; i++) {
    in[i] = random.below(1000);
    wantScans[i] = i % Lanes ? wantScans[i - 1] + in[i - 1] : 0;
    wantSums[i / Lanes] += in[i];
    if (i % Lanes < Lanes - 2)
      wantMost[i / Lanes] = std::max(wantMost[i / Lanes], in[i]);
  }
  Buffer<int> source(in), sums(wantSums.size()), scans(96), most(wantSums.size());
  warpFacts<Lanes><<<1, 96>>>(source, sums, scans, most);
  checkLaunch();
  expectAll("WarpReduce", sums.get(), wantSums);
  expectAll("WarpScan", scans.get(), wantScans);
  expectAll("WarpReduce of some", most.get(), wantMost);
}

int main() {
  Random random(7);
  testScan<128, cub::BLOCK_SCAN_WARP_SCANS, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(random, "warp scans");
  testScan<64, cub::BLOCK_SCAN_RAKING, cub::BLOCK_REDUCE_RAKING>(random, "raking");
  testScan<77, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(random, "odd block");
  testSort(random);
  testMergeSort(random);
  testFacts(random);
  testWarps<32>(random);
  testWarps<8>(random);
  return finish();
}
