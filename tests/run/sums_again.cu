// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a block several times in a row, without the barrier that keeps the next call's stores from this one's loads: a
// race by the letter, which on a GPU always ends well, so programs count on it. In the first warp alone, in all warps, and
// told by the first one; as one program for the block, as several, and in kernels with a lock.
#include "support.h"

__device__ int sumOfWarp(int x) {
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_down_sync(~0u, x, offset);
  return x;
}

/// Each warp's, for all.
__device__ void storeSums(int x, int *sums) {
  x = sumOfWarp(x);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = x;
  __syncthreads();
}

/// The sum is the first thread's only.
struct InFirstWarp {
  __device__ int operator()(int x, int *sums) const {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    storeSums(x, sums);
    x = threadIdx.x < blockDim.x / 32 ? sums[lane] : 0;
    return warp == 0 ? sumOfWarp(x) : x;
  }
};

struct InAllWarps {
  __device__ int operator()(int x, int *sums) const {
    int lane = threadIdx.x % 32;
    storeSums(x, sums);
    x = sumOfWarp(lane < blockDim.x / 32 ? sums[lane] : 0);
    return __shfl_sync(~0u, x, 0);
  }
};

/// In the place of the first warp's sum.
struct Told {
  __device__ int operator()(int x, int *sums) const {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    storeSums(x, sums);
    if (warp == 0) {
      x = sumOfWarp(lane < blockDim.x / 32 ? sums[lane] : 0);
      if (lane == 0)
        sums[0] = x;
    }
    __syncthreads();
    return sums[0];
  }
};

template <class Sum, bool Locks> __global__ void sums(const int *in, int *lock, volatile int *total, int *out) {
  __shared__ int places[32];
  int x = in[threadIdx.x];
  Sum sum;
  int first = sum(x, places), second = sum(3 * x + 1, places), third = sum(7 * x, places);
  if (threadIdx.x == 0) {
    int *mine = out + 3 * blockIdx.x;
    mine[0] = first, mine[1] = second, mine[2] = third;
    if (Locks) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      *total = *total + first;
      __threadfence();
      atomicExch(lock, 0);
    }
  }
}

template <class Sum, bool Locks> void check(const char *name) {
  constexpr int Blocks = 3;
  std::vector<int> in(1024);
  for (int i = 0; i < 1024; ++i)
    in[i] = i * 37 % 101;
  Buffer<int> data(in);
  for (int threads : {64, 256, 1024}) {
    Buffer<int> lock(1), total(1), out(3 * Blocks);
    int sum = 0;
    for (int i = 0; i < threads; ++i)
      sum += in[i];
    std::vector<int> want;
    for (int block = 0; block < Blocks; ++block)
      want.insert(want.end(), {sum, 3 * sum + threads, 7 * sum});
    sums<Sum, Locks><<<Blocks, threads>>>(data, lock, total, out);
    checkLaunch();
    expectAll(name, out.get(), want);
    expect(name, -threads, total.get()[0], Locks ? Blocks * sum : 0);
  }
}

int main() {
  check<InFirstWarp, false>("in the first warp");
  check<InAllWarps, false>("in all warps");
  check<Told, false>("told");
  check<InFirstWarp, true>("in the first warp, with a lock");
  check<InAllWarps, true>("in all warps, with a lock");
  check<Told, true>("told, with a lock");
  return finish();
}
