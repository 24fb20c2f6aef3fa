// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline of a block whose threads are producers and consumers, as the CUDA guide has it, and one
// that reads before it waits. No block.sync() closes the loop: a stage is acquired when all threads
// have released it.
// RUN: %heddle cc -g -std=c++17 -arch=sm_80 %s -o %t && %check --tool racecheck,memcheck %s %t | FileCheck %s
// CHECK: Race between write and read of shared memory
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

constexpr int Tile = 96;

template <bool WaitsFirst> __device__ void walk(const int *in, int *out, int tiles) {
  __shared__ int buffer[2][Tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, buffer[0], in, sizeof(int) * Tile, pipe); // error: race-read-write
  pipe.producer_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      pipe.producer_acquire();
      const int *next = in + (t + 1) * Tile;
      cuda::memcpy_async(block, buffer[(t + 1) % 2], next, 4 * Tile, pipe); // error: race-read-write
      pipe.producer_commit();
    }
    if (WaitsFirst)
      pipe.consumer_wait();
    int rank = block.thread_rank();
    out[t * Tile + rank] = buffer[t % 2][Tile - 1 - rank];
    if (!WaitsFirst)
      pipe.consumer_wait();
    pipe.consumer_release();
  }
}

__global__ void good(const int *in, int *out, int tiles) { walk<true>(in, out, tiles); }
__global__ void bad(const int *in, int *out, int tiles) { walk<false>(in, out, tiles); }

int main() {
  constexpr int Tiles = 17;
  int *in, *out;
  cudaMalloc(&in, Tiles * Tile * sizeof(int));
  cudaMalloc(&out, Tiles * Tile * sizeof(int));
  cudaMemset(in, 1, Tiles * Tile * sizeof(int));
  good<<<1, Tile>>>(in, out, Tiles);
  cudaDeviceSynchronize();
  bad<<<1, Tile>>>(in, out, Tiles);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
