// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in two pieces: who has arrived may wait for what others do behind their waits. Of blocks, of grids; several
// phases; threads that have ended. And what __isGlobal says of another block's shared memory.
// NVCC: -arch=sm_90
#include "support.h"

#include <cooperative_groups.h>

#include <utility>

namespace cg = cooperative_groups;

/// The last warp arrives and polls for what the first one writes behind its wait; then it waits, too.
__global__ void pollBetween(int *out) {
  __shared__ volatile int flag, values[3];
  auto block = cg::this_thread_block();
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    values[warp] = 10 + warp;
  auto token = block.barrier_arrive();
  if (warp == 2)
    while (flag == 0)
      ;
  block.barrier_wait(std::move(token));
  if (warp == 0 && threadIdx.x == 5)
    flag = 1;
  if (threadIdx.x % 32 == 1)
    out[warp] = values[0] + values[1] + values[2];
}

/// Rounds: what a thread's neighbours wrote before they arrived is there behind the wait. Some threads of whole warps
/// end early.
__global__ void rounds(unsigned *out, int count, int lastWarps) {
  __shared__ unsigned values[2][256];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, stay = blockDim.x - 32 * lastWarps;
  values[0][t] = t * 7 + blockIdx.x;
  __syncthreads();
  if (t >= stay)
    return;
  unsigned own = 0;
  for (int i = 0; i < count; ++i) {
    values[(i + 1) % 2][t] = values[i % 2][(t + 1) % stay] * 3 + 1;
    auto token = block.barrier_arrive();
    own += i * t; // in between
    block.barrier_wait(std::move(token));
  }
  out[blockIdx.x * blockDim.x + t] = values[count % 2][t] + own;
}

/// The first block arrives and polls for what the last one writes behind its wait.
__global__ void gridPolls(int *flag, int *values, int *sums, int rounds) {
  auto grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    int thread = (int)grid.thread_rank();
    values[thread] = thread + round;
    auto token = grid.barrier_arrive();
    if (blockIdx.x == 0)
      while (atomicAdd(flag, 0) == round)
        ;
    grid.barrier_wait(std::move(token));
    int sum = 0;
    for (int i = 0; i < (int)gridDim.x; ++i)
      sum += values[i * blockDim.x + threadIdx.x];
    sums[thread] = sum;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
      atomicAdd(flag, 1);
    grid.sync();
  }
}

__device__ int inGlobal;

__global__ void __cluster_dims__(2, 1, 1) spaces(unsigned *out) {
  __shared__ int own;
  int local = threadIdx.x;
  auto cluster = cg::this_cluster();
  int *other = cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
  out[blockIdx.x * 32 + threadIdx.x] = __isGlobal(other) | __isGlobal(&own) << 1 | __isGlobal(&inGlobal) << 2 | __isGlobal(&local) << 3;
  cluster.sync();
}

int main() {
  Buffer<int> three(3);
  pollBetween<<<1, 96>>>(three);
  checkLaunch();
  expectAll("poll between", three.get(), {33, 33, 33});

  const int count = 5, blocks = 3;
  for (int threads : {32, 96, 256})
    for (int lastWarps = 0; lastWarps * 32 < threads && lastWarps < 3; ++lastWarps) {
      Buffer<unsigned> out(blocks * threads);
      rounds<<<blocks, threads>>>(out, count, lastWarps);
      checkLaunch();
      std::vector<unsigned> got = out.get();
      int stay = threads - 32 * lastWarps;
      for (int b = 0; b < blocks; ++b) {
        std::vector<unsigned> values(stay), next(stay);
        for (int t = 0; t < stay; ++t)
          values[t] = t * 7 + b;
        for (int i = 0; i < count; ++i, values = next)
          for (int t = 0; t < stay; ++t)
            next[t] = values[(t + 1) % stay] * 3 + 1;
        for (int t = 0; t < threads; ++t)
          expect("rounds", b * threads + t, got[b * threads + t], t < stay ? values[t] + 10 * t : 0);
      }
    }

  int gridBlocks = 7, threads = 40, turns = 3;
  Buffer<int> flag(1), values(gridBlocks * threads), sums(gridBlocks * threads);
  int *flagAt = flag, *valuesAt = values, *sumsAt = sums;
  void *arguments[] = {&flagAt, &valuesAt, &sumsAt, &turns};
  CUDA_OK(cudaLaunchCooperativeKernel((void *)gridPolls, dim3(gridBlocks), dim3(threads), arguments, 0, nullptr));
  checkLaunch();
  std::vector<int> got = sums.get();
  for (int i = 0; i < gridBlocks * threads; ++i) {
    int sum = 0;
    for (int b = 0; b < gridBlocks; ++b)
      sum += b * threads + i % threads + turns - 1;
    expect("grid", i, got[i], sum);
  }

  Buffer<unsigned> said(64);
  spaces<<<2, 32>>>(said);
  checkLaunch();
  expectAll("spaces", said.get(), std::vector<unsigned>(64, 4));
  return finish();
}
