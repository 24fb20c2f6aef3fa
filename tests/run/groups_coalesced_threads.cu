// RUN: %nvcc -arch=sm_70 %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// coalesced_threads() gives the lanes that come to it together, also where a warp's lanes run one by one: below the
// width of a warp, and in kernels whose lanes wait for each other. What is checked holds on every GPU that runs the
// branches as written.
// NVCC: -arch=sm_70
#include "support.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int mutex;

/// Lanes take a lock in turn: this kernel's lanes run as single threads.
__device__ void withLock(int *counter) {
  bool done = false;
  while (!done)
    if (atomicCAS(&mutex, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)counter = *(volatile int *)counter + 1;
      __threadfence();
      atomicExch(&mutex, 0);
      done = true;
    }
}

struct Seen {
  unsigned size, rank, sum, mask;
};

/// The lanes for which `i % 3` is the same form a group in their branch.
template <bool locks> __global__ void groups(Seen *seen, int *counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (locks)
    withLock(counter);
  __syncwarp();
  if (i >= n)
    return;
  auto note = [&](unsigned value) {
    cg::coalesced_group group = cg::coalesced_threads();
    unsigned sum = 0;
    for (unsigned k = 0; k < group.size(); ++k)
      sum += group.shfl(value, k);
    seen[i] = {(unsigned)group.size(), (unsigned)group.thread_rank(), sum, group.ballot(value & 1)};
  };
  if (i % 3 == 0)
    note(i);
  else if (i % 3 == 1)
    note(i * 5);
  else
    note(i * 11);
}

/// Each group of lanes adds once.
__global__ void aggregated(int *total, int *calls, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  withLock(total + 1);
  __syncwarp();
  if (i < n && i % 2) {
    auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) {
      atomicAdd(total, (int)group.size());
      atomicAdd(calls, 1);
    }
  }
}

int main() {
  for (int locks = 0; locks < 2; ++locks) {
    const int threads = 72, blocks = 2, n = 131;
    Buffer<Seen> seen(threads * blocks);
    Buffer<int> counter(1);
    locks ? groups<true><<<blocks, threads>>>(seen, counter, n) : groups<false><<<blocks, threads>>>(seen, counter, n);
    checkLaunch();
    expect("locked", locks, counter.get()[0], locks ? threads * blocks : 0);
    std::vector<Seen> got = seen.get();
    const unsigned factor[] = {1, 5, 11};
    for (int i = 0; i < n; ++i) {
      int block = i / threads, first = block * threads + i % threads / 32 * 32;
      Seen want = {};
      for (int j = first; j < first + 32 && j < (block + 1) * threads && j < n; ++j)
        if (j % 3 == i % 3) {
          unsigned value = j * factor[i % 3];
          want.rank += j < i;
          want.mask |= (value & 1) << want.size++;
          want.sum += value;
        }
      expect(locks ? "size, locks" : "size", i, got[i].size, want.size);
      expect(locks ? "rank, locks" : "rank", i, got[i].rank, want.rank);
      expect(locks ? "sum, locks" : "sum", i, got[i].sum, want.sum);
      expect(locks ? "ballot, locks" : "ballot", i, got[i].mask, want.mask);
    }
  }
  const int n = 150;
  Buffer<int> total(2), calls(1);
  aggregated<<<3, 64>>>(total, calls, n);
  checkLaunch();
  expect("total", 0, total.get()[0], n / 2);
  expect("calls", 0, calls.get()[0], (n + 31) / 32);
  return finish();
}
