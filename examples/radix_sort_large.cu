// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, "Radix Sort", last paragraph (an array
// that is longer than a block, with double buffering), and "Scan and Reduction" (scan of many
// blocks).
//
// The fundamental step is again a scan, now over all blocks: each block scans its part and leaves
// its sum, the sums are scanned in the same way, and every block adds what lies before it. Other
// blocks may still read while one writes, so the partition goes from one array to another.
#include "common.h"

#include <algorithm>

constexpr unsigned BlockSize = 256;

/// Inclusive scan of each block's piece; the last thread leaves the block's sum.
__global__ void scanPieces(unsigned *x, unsigned n, unsigned *sums) {
  __shared__ unsigned piece[BlockSize];
  unsigned i = blockIdx.x * BlockSize + threadIdx.x;
  piece[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned offset = 1; offset < BlockSize; offset *= 2) {
    unsigned left = threadIdx.x >= offset ? piece[threadIdx.x - offset] : 0;
    __syncthreads();
    piece[threadIdx.x] += left;
    __syncthreads();
  }
  if (i < n)
    x[i] = piece[threadIdx.x];
  if (threadIdx.x == BlockSize - 1)
    sums[blockIdx.x] = piece[threadIdx.x];
}

__global__ void addBefore(unsigned *x, unsigned n, const unsigned *scannedSums) {
  unsigned i = blockIdx.x * BlockSize + threadIdx.x;
  if (i < n && blockIdx.x > 0)
    x[i] += scannedSums[blockIdx.x - 1];
}

static unsigned blocksFor(unsigned n) { return (n + BlockSize - 1) / BlockSize; }

/// Inclusive scan of n elements: as many levels as it takes until one block is enough.
static void scan(unsigned *x, unsigned n) {
  unsigned blocks = blocksFor(n), *sums = zerosOnDevice<unsigned>(blocks);
  scanPieces<<<blocks, BlockSize>>>(x, n, sums);
  if (blocks > 1) {
    scan(sums, blocks);
    addBefore<<<blocks, BlockSize>>>(x, n, sums);
  }
  CUDA_CHECK(cudaFree(sums));
}

__global__ void extractBit(const unsigned *values, unsigned n, unsigned bit, unsigned *bits) {
  unsigned i = blockIdx.x * BlockSize + threadIdx.x;
  if (i < n)
    bits[i] = (values[i] >> bit) & 1;
}

__global__ void partition(const unsigned *from, unsigned *to, unsigned n, unsigned bit,
                          const unsigned *onesUpTo) {
  unsigned i = blockIdx.x * BlockSize + threadIdx.x;
  if (i >= n)
    return;
  unsigned zeros = n - onesUpTo[n - 1];
  if ((from[i] >> bit) & 1)
    to[onesUpTo[i] - 1 + zeros] = from[i];
  else
    to[i - onesUpTo[i]] = from[i];
}

static std::vector<unsigned> radixSort(const std::vector<unsigned> &values) {
  unsigned n = unsigned(values.size()), blocks = blocksFor(n);
  unsigned *from = toDevice(values), *to = zerosOnDevice<unsigned>(n),
           *ones = zerosOnDevice<unsigned>(n);
  for (unsigned bit = 0; bit < 32; ++bit) {
    extractBit<<<blocks, BlockSize>>>(from, n, bit, ones);
    scan(ones, n);
    partition<<<blocks, BlockSize>>>(from, to, n, bit, ones);
    std::swap(from, to);
  }
  std::vector<unsigned> sorted = toHost(from, n);
  for (unsigned *array : {from, to, ones})
    CUDA_CHECK(cudaFree(array));
  return sorted;
}

int main() {
  for (unsigned n : {1u, 255u, 256u, 257u, 10000u, 150001u}) {
    Random random(43);
    std::vector<unsigned> values(n), want(n);
    for (unsigned &value : values)
      value = random.next();
    for (unsigned i = 0; i < n; ++i)
      want[i] = (values[i] & 0xFF) + (i ? want[i - 1] : 0);
    std::vector<unsigned> low = values;
    for (unsigned &value : low)
      value &= 0xFF;
    unsigned *x = toDevice(low);
    scan(x, n);
    check(same(toHost(x, n), want), "scan of %u elements on %u blocks", n, blocksFor(n));
    CUDA_CHECK(cudaFree(x));

    want = values;
    std::sort(want.begin(), want.end());
    check(same(radixSort(values), want), "radix sort of %u elements", n);
  }
  return exitCode();
}
