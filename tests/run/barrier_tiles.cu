// RUN: %nvcc -std=c++17 -arch=sm_80 %s -o %t
// RUN: %widths %t
// RUN: %nvcc -std=c++17 -arch=sm_70 %s -o %t.70
// RUN: %all %at(8) %t.70
// RUN: %t.70
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go from tile to tile by barriers of libcu++: of the block, of each warp, of half a warp; in one piece and
// in two; with threads that drop out on the way.
#include "support.h"

#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int Most = 128;

/// What a thread adds for a tile: its own element and its neighbours'.
__host__ __device__ int part(const int *tile, int t, int size, int round) {
  return tile[t] + 3 * tile[(t + 1) % size] - round * tile[(t + size / 2) % size];
}

enum class Way { AtOnce, InTwo, Mixed };

__device__ void meet(Barrier &barrier, Way way, int &kept) {
  if (way == Way::AtOnce || (way == Way::Mixed && threadIdx.x < 32)) {
    barrier.arrive_and_wait();
  } else {
    Barrier::arrival_token token = barrier.arrive();
    kept++;
    barrier.wait(std::move(token));
  }
}

/// Groups of `size` threads have a barrier each.
__global__ void tiles(const int *in, int *out, int count, int size, Way way) {
  __shared__ int tile[Most];
  __shared__ Barrier barriers[Most / 16];
  int t = int(threadIdx.x), n = int(blockDim.x), sum = 0, kept = 0, group = t / size;
  if (t % size == 0)
    init(&barriers[group], size);
  __syncthreads();
  for (int i = 0; i < count; i++) {
    tile[t] = in[(blockIdx.x * count + i) * n + t];
    meet(barriers[group], way, kept);
    sum += part(tile + group * size, t % size, size, i);
    meet(barriers[group], way, kept);
  }
  out[blockIdx.x * n + t] = sum * 4 + kept % 2;
}

void testTiles(int threads, int size, Way way, Random &random) {
  const int Blocks = 3, Count = 7;
  std::vector<int> in(Blocks * Count * threads), want(Blocks * threads);
  for (int &x : in)
    x = int(random.below(100));
  for (int b = 0; b < Blocks; b++)
    for (int i = 0; i < Count; i++)
      for (int t = 0; t < threads; t++)
        want[b * threads + t] += 4 * part(&in[(b * Count + i) * threads + t / size * size], t % size, size, i);
  Buffer<int> deviceIn(in), out(want.size());
  tiles<<<Blocks, threads>>>(deviceIn, out, Count, size, way);
  checkLaunch();
  expectAll("tiles of " + std::to_string(size) + " of " + std::to_string(threads), out.get(), want);
}

/// The barrier of the whole block is known to be one.
__global__ void blocks(const int *in, int *out, int count) {
  __shared__ int tile[Most];
  __shared__ Barrier barrier;
  int t = int(threadIdx.x), n = int(blockDim.x), sum = 0;
  if (t == 0)
    init(&barrier, n);
  __syncthreads();
  for (int i = 0; i < count; i++) {
    tile[t] = in[(blockIdx.x * count + i) * n + t];
    barrier.arrive_and_wait();
    sum += part(tile, t, n, i);
    barrier.arrive_and_wait();
  }
  out[blockIdx.x * n + t] = sum * 4;
}

void testBlocks(int threads, Random &random) {
  const int Blocks = 4, Count = 5;
  std::vector<int> in(Blocks * Count * threads), want(Blocks * threads);
  for (int &x : in)
    x = int(random.below(100));
  for (int b = 0; b < Blocks; b++)
    for (int i = 0; i < Count; i++)
      for (int t = 0; t < threads; t++)
        want[b * threads + t] += 4 * part(&in[(b * Count + i) * threads], t, threads, i);
  Buffer<int> deviceIn(in), out(want.size());
  blocks<<<Blocks, threads>>>(deviceIn, out, Count);
  checkLaunch();
  expectAll("blocks of " + std::to_string(threads), out.get(), want);
}

/// Thread t takes part in t % 5 + 1 rounds; each adds how many have come so far.
__global__ void dropOut(int *out) {
  __shared__ Barrier barrier;
  __shared__ int come[8];
  int t = int(threadIdx.x), sum = 0;
  if (t == 0)
    init(&barrier, blockDim.x);
  if (t < 8)
    come[t] = 0;
  __syncthreads();
  int rounds = t % 5 + 1;
  for (int i = 0; i < rounds; i++) {
    atomicAdd(&come[i], 1);
    barrier.arrive_and_wait();
    sum += come[i] * (i + 1);
  }
  barrier.arrive_and_drop();
  out[t] = sum;
}

void testDropOut(int threads) {
  std::vector<int> want(threads);
  for (int t = 0; t < threads; t++)
    for (int i = 0; i <= t % 5; i++) {
      int come = 0;
      for (int other = 0; other < threads; other++)
        come += other % 5 >= i;
      want[t] += come * (i + 1);
    }
  Buffer<int> out(threads);
  dropOut<<<1, threads>>>(out);
  checkLaunch();
  expectAll("threads that drop out of " + std::to_string(threads), out.get(), want);
}

int main() {
  Random random(5);
  for (Way way : {Way::AtOnce, Way::InTwo, Way::Mixed}) {
    for (int size : {16, 32, 64, 128})
      testTiles(128, size, way, random);
    testTiles(96, 96, way, random);
  }
  for (int threads : {32, 64, 96, 128, 20})
    testBlocks(threads, random);
  testDropOut(64);
  testDropOut(75);
  return finish();
}
