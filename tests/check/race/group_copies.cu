// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by groups that are not waited for, beside their correct twins.
// RUN: %heddle cc -g -arch=sm_80 %s -o %t && %check --tool racecheck,memcheck %s %t | FileCheck %s
// CHECK: Race between asynchronous copy and read of shared memory
// CHECK: the copy by thread ({{.*}},0,0), which has not waited for it
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

constexpr int N = 256;

// A barrier waits for no copies.
template <class T> __global__ void onlyMet(const T *in, T *out) {
  __shared__ alignas(16) T s[N];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(T) * N);
  block.sync();
  out[block.thread_rank()] = s[N - 1 - block.thread_rank()]; // error: race-asynchronous-copy
}
template <class T> __global__ void waited(const T *in, T *out) {
  __shared__ alignas(16) T s[N];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(T) * N);
  cg::wait(block);
  out[block.thread_rank()] = s[N - 1 - block.thread_rank()];
}
// Tiles of a block, each with its own part; lengths in elements.
__global__ void ofTiles(const float *in, float *out, bool isLate) {
  __shared__ float s[N];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned first = tile.meta_group_rank() * 32;
  cg::memcpy_async(tile, s + first, 32, in + first, 32);
  if (isLate)
    out[first + tile.thread_rank()] = s[first + tile.thread_rank()]; // error: race-asynchronous-copy
  cg::wait(tile);
  out[first + tile.thread_rank()] = s[first + 31 - tile.thread_rank()];
}
// Two stages, of which one has come.
template <unsigned Left> __global__ void stages(const int *in, int *out, int parts) {
  __shared__ int s[2][N];
  auto block = cg::this_thread_block();
  unsigned t = block.thread_rank();
  cg::memcpy_async(block, s[0], in, sizeof(s[0]));
  for (int part = 0; part < parts; ++part) {
    if (part + 1 < parts) {
      cg::memcpy_async(block, s[(part + 1) % 2], in + (part + 1) * N, sizeof(s[0])); // error: race-asynchronous-copy
      cg::wait_prior<Left>(block);
    } else {
      cg::wait(block);
    }
    out[part * N + t] = s[part % 2][N - 1 - t]; // error: race-asynchronous-copy
    block.sync();
  }
}
template <unsigned Left> __global__ void rightStages(const int *in, int *out, int parts) {
  __shared__ int s[2][N];
  auto block = cg::this_thread_block();
  unsigned t = block.thread_rank();
  cg::memcpy_async(block, s[0], in, sizeof(s[0]));
  for (int part = 0; part < parts; ++part) {
    if (part + 1 < parts) {
      cg::memcpy_async(block, s[(part + 1) % 2], in + (part + 1) * N, sizeof(s[0]));
      cg::wait_prior<Left>(block);
    } else {
      cg::wait(block);
    }
    out[part * N + t] = s[part % 2][N - 1 - t];
    block.sync();
  }
}
// What is no whole words is there when the call returns, for the thread that copies it.
__global__ void oddBytes(const char *in, char *out) {
  __shared__ char s[N];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s + 1, in + 1, 99);
  cg::wait(block);
  if (block.thread_rank() < 99)
    out[block.thread_rank()] = s[99 - block.thread_rank()];
}

int main() {
  double *in, *out;
  cudaMalloc(&in, 4 * N * sizeof(double));
  cudaMalloc(&out, 4 * N * sizeof(double));
  cudaMemset(in, 0, 4 * N * sizeof(double));
  onlyMet<<<1, N>>>(in, out);
  onlyMet<<<1, N>>>((const float *)in, (float *)out);
  onlyMet<<<1, N>>>((const short *)in, (short *)out);
  waited<<<1, N>>>(in, out);
  waited<<<1, N>>>((const float *)in, (float *)out);
  waited<<<1, N>>>((const unsigned char *)in, (unsigned char *)out);
  waited<<<2, N / 4>>>((const float4 *)in, (float4 *)out);
  ofTiles<<<1, N>>>((const float *)in, (float *)out, true);
  ofTiles<<<1, N>>>((const float *)in, (float *)out, false);
  stages<2><<<1, N>>>((const int *)in, (int *)out, 4);
  rightStages<1><<<1, N>>>((const int *)in, (int *)out, 4);
  oddBytes<<<1, N>>>((const char *)in, (char *)out);
  return cudaDeviceSynchronize();
}
