// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=privatize-atomics %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all blocks by atomics: of one cell, of a block's worth of cells, of more cells than threads, of cells that
// lie 4 KB apart, of cells by value (few, and more than a worker keeps), with odd blocks, and with inactive lanes. What a kernel sees of its own additions must stay: after a
// barrier, after a fence (the last block adds up), in the next launch.
#include "support.h"

template <class T> __global__ void sumAll(int n, const T *in, T *out, T *tail) {
  int i = threadInGrid();
  if (i < n)
    atomicAdd(out, in[i]);
  if (i < n && threadIdx.x % 3 == 0)
    atomicAdd(tail, T(1));
}

constexpr int Bins = 300;
template <class T> __global__ void histogram(int n, const int *in, T *bins) {
  __shared__ T mine[Bins];
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], T(1));
  __syncthreads();
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    atomicAdd(&bins[bin], mine[bin]);
}

/// Cells of the two meet in one place of what a worker keeps.
__global__ void farApart(unsigned *cells) {
  atomicAdd(&cells[threadIdx.x], blockIdx.x);
  if (threadIdx.x % 2)
    atomicAdd(&cells[threadIdx.x + 1024], 1u);
  atomicAdd(&cells[threadIdx.x + 3 + 2048], threadIdx.x);
}

__global__ void ownCells(unsigned *cells) { atomicAdd(&cells[threadInGrid() / 2], threadIdx.x + 1); }

/// Each block adds and looks.
__global__ void look(int *cells, int *seen) {
  atomicAdd(&cells[blockIdx.x], int(threadIdx.x));
  __syncthreads();
  seen[threadInGrid()] = cells[blockIdx.x];
}

__global__ void lookAtOne(int *cell, int *enough) {
  atomicAdd(cell, 1);
  __syncthreads();
  if (*cell < int(blockDim.x))
    *enough = 0;
}

__global__ void lastBlock(int *sum, int *done, int *result) {
  atomicAdd(sum, 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(done, 1) == int(gridDim.x) - 1)
    *result = atomicAdd(sum, 0);
}

/// By value, straight into global memory.
template <class T> __global__ void count(int n, const int *in, T *bins) {
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    if (in[i] % 11 != 5)
      atomicAdd(&bins[in[i]], T(in[i] % 4 + 1));
}

__device__ unsigned globalBins[100];
__global__ void countInGlobal(int n, const int *in) {
  int i = threadInGrid();
  if (i < n)
    atomicAdd(&globalBins[in[i] % 100], 2u);
  if (i < n)
    atomicAdd(&globalBins[99 - in[i] % 100], unsigned(in[0] >= 0));
}

/// `same` and `cells` may be one: then what was added must be seen after the barrier.
__global__ void lookElsewhere(int *cells, const int *same, int *enough) {
  atomicAdd(&cells[threadIdx.x % 7], 1);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 7; ++i)
    sum += same[i];
  if (sum < int(blockDim.x))
    atomicAdd(enough, -1);
}

template <class T> void testCount(int blocks, int threads, int n, int bins) {
  Random random(n + bins);
  std::vector<int> in(n);
  std::vector<T> want(bins);
  for (int &bin : in) {
    bin = random.below(bins);
    want[bin] += bin % 11 != 5 ? T(bin % 4 + 1) : T(0);
  }
  Buffer<int> deviceIn(in);
  Buffer<T> deviceBins(bins);
  count<T><<<blocks, threads>>>(n, deviceIn, deviceBins);
  checkLaunch();
  expectAll("counts", deviceBins.get(), want);
}

void testGlobals(int blocks, int threads) {
  int n = blocks * threads - threads / 3;
  Random random(n);
  std::vector<int> in(n);
  std::vector<unsigned> want(100), zeros(100), got(100);
  for (int &value : in) {
    value = random.below(1000);
    want[value % 100] += 2;
    ++want[99 - value % 100];
  }
  Buffer<int> deviceIn(in);
  CUDA_OK(cudaMemcpyToSymbol(globalBins, zeros.data(), 400));
  countInGlobal<<<blocks, threads>>>(n, deviceIn);
  checkLaunch();
  CUDA_OK(cudaMemcpyFromSymbol(got.data(), globalBins, 400));
  expectAll("globals", got, want);
}

void testLookElsewhere(int blocks, int threads) {
  Buffer<int> cells(2000), other(std::vector<int>(7, 1 << 20)), enough(std::vector<int>(1, 1));
  lookElsewhere<<<blocks, threads>>>(cells, cells, enough);
  lookElsewhere<<<blocks, threads>>>(cells + 1000, cells, enough);
  lookElsewhere<<<blocks, threads>>>(cells, other, enough);
  checkLaunch();
  expect("enough elsewhere", blocks, enough.get()[0], 1);
  std::vector<int> got = cells.get();
  for (int cell = 0; cell < 7; ++cell) {
    int each = (threads + 6 - cell) / 7 * blocks;
    expect("cell", cell, got[cell], 2 * each);
    expect("cell", 1000 + cell, got[1000 + cell], each);
  }
}

template <class T> void testSums(int blocks, int threads) {
  int n = blocks * threads - threads / 2;
  Random random(n);
  std::vector<T> in(n);
  T want = 0, wantTail = 0;
  for (int i = 0; i < n; ++i) {
    want += in[i] = T(random.below(16)); // exact in floats
    wantTail += i % threads % 3 == 0;
  }
  Buffer<T> deviceIn(in), out(1), tail(1);
  for (int launch = 1; launch <= 2; ++launch) {
    sumAll<T><<<blocks, threads>>>(n, deviceIn, out, tail);
    checkLaunch();
    expect("sum", n, out.get()[0], T(want * launch));
    expect("tail", n, tail.get()[0], T(wantTail * launch));
  }
}

template <class T> void testHistogram(int blocks, int threads, int n) {
  Random random(n);
  std::vector<int> in(n);
  std::vector<T> want(Bins);
  for (int &bin : in)
    want[bin = random.below(Bins)] += 1;
  Buffer<int> deviceIn(in);
  Buffer<T> bins(Bins);
  histogram<T><<<blocks, threads>>>(n, deviceIn, bins);
  checkLaunch();
  expectAll("bins", bins.get(), want);
}

void testFarApart(int blocks, int threads) {
  Buffer<unsigned> cells(4096);
  farApart<<<blocks, threads>>>(cells);
  checkLaunch();
  std::vector<unsigned> want(4096);
  for (int thread = 0; thread < threads; ++thread) {
    want[thread] += blocks * (blocks - 1) / 2;
    want[thread + 1024] += thread % 2 ? blocks : 0;
    want[thread + 2051] += thread * blocks;
  }
  expectAll("far apart", cells.get(), want);
}

void testOwnCells(int blocks, int threads) {
  Buffer<unsigned> cells(blocks * threads);
  ownCells<<<blocks, threads>>>(cells);
  checkLaunch();
  std::vector<unsigned> want(blocks * threads);
  for (int i = 0; i < blocks * threads; ++i)
    want[i / 2] += i % threads + 1;
  expectAll("own cells", cells.get(), want);
}

void testLooks(int blocks, int threads) {
  Buffer<int> cells(blocks), seen(blocks * threads), cell(1), enough(std::vector<int>(1, 1));
  look<<<blocks, threads>>>(cells, seen);
  lookAtOne<<<blocks, threads>>>(cell, enough);
  checkLaunch();
  expectAll("seen", seen.get(), std::vector<int>(blocks * threads, threads * (threads - 1) / 2));
  expect("enough", 0, enough.get()[0], 1);
  Buffer<int> sum(1), done(1), result(1);
  lastBlock<<<blocks, threads>>>(sum, done, result);
  checkLaunch();
  expect("last block", 0, result.get()[0], blocks * threads);
}

int main() {
  for (int threads : {1, 33, 256, 300}) {
    bool all = threads == 33 || threads == 256; // types
    for (int blocks : {1, 7, 200}) {
      testSums<int>(blocks, threads);
      if (all) {
        testSums<unsigned long long>(blocks, threads);
        testSums<float>(blocks, threads);
        testSums<double>(blocks, threads);
      }
      testFarApart(blocks, threads);
      testOwnCells(blocks, threads);
      testLooks(blocks, threads);
      testGlobals(blocks, threads);
      testLookElsewhere(blocks, threads);
    }
    testHistogram<int>(20, threads, 10007);
    testCount<unsigned>(20, threads, 10007, 256);
    if (!all)
      continue;
    testHistogram<float>(20, threads, 10007);
    testCount<float>(20, threads, 10007, 100);
    testCount<unsigned long long>(20, threads, 20011, 3000);
    testCount<int>(20, threads, 60013, 1 << 17);
    testCount<double>(20, threads, 10007, 1);
  }
  return finish();
}
