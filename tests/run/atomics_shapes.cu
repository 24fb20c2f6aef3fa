// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics by the shape of their address: neighbours, strides, array elements by indices of 8, 16 and 64 bits, rows
// of a matrix, fields of structures; full warps and warps with some lanes away, blocks that end in the middle of a
// warp; with and without the old value.
#include "support.h"

struct Pair {
  int first;
  float second;
};

constexpr int Cells = 512;

template <bool Shared> struct Work {
  int *cells;
  Pair *pairs;

  __device__ int run(const unsigned char *bytes, const short *shorts, const long long *longs, int n, int thread) const {
    int sum = 0;
    atomicAdd(&cells[thread], 3);                    // neighbours
    sum += atomicAdd(&cells[thread], thread);        // the old value is 3
    sum += atomicMax(&cells[thread], 7 * thread);    // the old value is 3 + thread
    atomicAdd(&cells[255 - thread % 256], 1);        // a negative stride
    if (thread % 3 != 1) {
      atomicAdd(&cells[bytes[thread]], 1);
      atomicSub(&cells[shorts[thread] + 256], 2);
    }
    atomicAdd(&cells[longs[thread]], 5);
    if (thread < n / 2)
      atomicXor(&cells[256 + thread % 16 * 4], 1 << (thread % 30));
    atomicAdd(&pairs[thread % 5].first, 2);
    atomicAdd(&pairs[bytes[thread] % 5].second, 0.5f);
    atomicExch(&cells[Cells + thread], -thread);
    return sum;
  }
};

template <bool Shared>
__global__ void kernel(const unsigned char *bytes, const short *shorts, const long long *longs, int n, int *cells,
                       Pair *pairs, int *old) {
  __shared__ int sharedCells[2 * Cells];
  __shared__ Pair sharedPairs[5];
  int thread = threadInBlock(), threads = blockDim.x * blockDim.y;
  for (int i = thread; i < 2 * Cells; i += threads)
    sharedCells[i] = 0;
  for (int i = thread; i < 5; i += threads)
    sharedPairs[i] = {0, 0};
  __syncthreads();
  Work<Shared> work = {Shared ? sharedCells : cells, Shared ? sharedPairs : pairs};
  if (thread < n)
    old[thread] = work.run(bytes, shorts, longs, n, thread);
  __syncthreads();
  if (Shared) {
    for (int i = thread; i < 2 * Cells; i += threads)
      cells[i] = sharedCells[i];
    for (int i = thread; i < 5; i += threads)
      pairs[i] = sharedPairs[i];
  }
}

/// Neighbours only: what each returns is known.
template <bool Shared> __global__ void neighbours(int n, int *cells, int *old) {
  __shared__ int sharedCells[Cells];
  int thread = threadInBlock(), threads = blockDim.x * blockDim.y;
  for (int i = thread; i < Cells; i += threads)
    sharedCells[i] = 10 * i;
  __syncthreads();
  int *here = Shared ? sharedCells : cells;
  if (thread < n) {
    int a = atomicAdd(&here[thread], thread + 1);
    int b = atomicOr(&here[thread], 1);
    int c = atomicMin(&here[thread], 1000);
    int d = atomicExch(&here[thread], thread);
    int e = atomicSub(&here[thread], 5);
    old[thread] = a + 3 * b + 7 * c + 11 * d + 13 * e;
  }
  __syncthreads();
  if (Shared)
    for (int i = thread; i < Cells; i += threads)
      cells[i] = sharedCells[i];
}

template <bool Shared> static void test(dim3 block, int n) {
  Random random(7);
  std::vector<unsigned char> bytes(Cells);
  std::vector<short> shorts(Cells);
  std::vector<long long> longs(Cells);
  for (int i = 0; i < Cells; i++) {
    bytes[i] = (unsigned char)random.below(256);
    shorts[i] = short(random.below(300) - 200);
    longs[i] = random.below(Cells);
  }
  std::string name = std::string(Shared ? "shared " : "global ") + std::to_string(block.x * block.y) + " " +
                     std::to_string(n);
  Buffer<unsigned char> deviceBytes(bytes);
  Buffer<short> deviceShorts(shorts);
  Buffer<long long> deviceLongs(longs);
  Buffer<int> cells(2 * Cells), old(Cells);
  Buffer<Pair> pairs(5);
  kernel<Shared><<<1, block>>>(deviceBytes.data, deviceShorts.data, deviceLongs.data, n, cells.data, pairs.data,
                               old.data);
  checkLaunch();
  // Compared is what does not depend on the order of the threads: the upper cells and the pairs.
  std::vector<int> got = cells.get();
  std::vector<Pair> gotPairs = pairs.get();
  Pair want[5] = {};
  for (int t = 0; t < n; t++) {
    expect(name + " exchange", t, got[Cells + t], -t);
    want[t % 5].first += 2;
    want[bytes[t] % 5].second += 0.5f;
  }
  for (int i = 0; i < 5; i++) {
    expect(name + " pair.first", i, gotPairs[i].first, want[i].first);
    expect(name + " pair.second", i, gotPairs[i].second, want[i].second);
  }

  std::vector<int> start(Cells);
  for (int i = 0; i < Cells; i++)
    start[i] = 10 * i;
  cells.put([&] { std::vector<int> all(start); all.resize(2 * Cells); return all; }());
  neighbours<Shared><<<1, block>>>(n, cells.data, old.data);
  checkLaunch();
  std::vector<int> values = cells.get(), returned = old.get();
  for (int t = 0; t < n; t++) {
    int a = start[t], b = a + t + 1, c = b | 1, d = std::min(c, 1000), e = t;
    expect(name + " old values", t, returned[t], a + 3 * b + 7 * c + 11 * d + 13 * e);
    expect(name + " neighbours", t, values[t], t - 5);
  }
  for (int t = n; t < Cells; t++)
    expect(name + " untouched", t, values[t], start[t]);
}

/// A histogram of bytes: conflicts in every warp; the last warps of the block and the last bytes are partial.
template <class Index> __global__ void histogram(const Index *in, int n, unsigned *bins) {
  __shared__ unsigned mine[256];
  int thread = threadInBlock(), threads = blockDim.x * blockDim.y;
  for (int i = thread; i < 256; i += threads)
    mine[i] = 0;
  __syncthreads();
  for (int i = thread; i < n; i += threads)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int i = thread; i < 256; i += threads)
    atomicAdd(&bins[i], mine[i]);
}

template <class Index> static void testHistogram(const char *name, dim3 block, int n, int values) {
  Random random(3);
  std::vector<Index> in(n);
  std::vector<unsigned> want(256);
  for (Index &i : in)
    want[i = Index(random.below(values))]++;
  Buffer<Index> deviceIn(in);
  Buffer<unsigned> bins(256);
  histogram<Index><<<1, block>>>(deviceIn.data, n, bins.data);
  checkLaunch();
  expectAll(name, bins.get(), want);
}

int main() {
  for (dim3 block : {dim3(256), dim3(256, 2), dim3(33), dim3(100), dim3(16, 16)})
    for (int share : {1, 2, 3}) {
      int n = int(block.x * block.y) * share / 3;
      test<true>(block, n);
      test<false>(block, n);
    }
  for (dim3 block : {dim3(256), dim3(96), dim3(7, 9)})
    for (int values : {1, 5, 256}) {
      testHistogram<unsigned char>("bytes", block, 5003, values);
      testHistogram<unsigned short>("shorts", block, 5003, values);
      testHistogram<int>("ints", block, 4096, values);
      testHistogram<long long>("longs", block, 4096, values);
    }
  return finish();
}
