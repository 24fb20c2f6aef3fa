// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups, barriers and pipelines of the library, clusters; wrong kernels beside right ones.
// RUN: %heddle cc -arch=sm_90 -std=c++17 %s -o %t && %check --tool all %s %t
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

constexpr int N = 128;

// Tiles of a block.
__global__ void tiles(const int *in, int *out) {
  __shared__ int s[N];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];
  tile.sync();
  out[t] = s[t ^ 5] + cg::reduce(tile, in[t], cg::plus<int>()) + cg::inclusive_scan(tile, in[t]);
}
__global__ void tilesTooSmall(const int *in, int *out) {
  __shared__ int s[N];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t]; // error: race-read-write
  tile.sync();
  out[t] = s[t ^ 16];
}
__global__ void coalesced(const int *in, int *count, int *out) {
  if (in[threadIdx.x] % 3 == 0) {
    auto group = cg::coalesced_threads();
    int first;
    if (group.thread_rank() == 0)
      first = atomicAdd(count, group.size());
    out[group.shfl(first, 0) + group.thread_rank()] = in[threadIdx.x];
  }
}
__global__ void leader(const int *in, int *out) { // a leader writes for its tile
  __shared__ int s[N / 32];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = cg::reduce(warp, in[threadIdx.x], cg::plus<int>());
  if (warp.thread_rank() == 0)
    s[warp.meta_group_rank()] = sum;
  block.sync();
  out[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}
__global__ void leaderWarpOnly(const int *in, int *out) {
  __shared__ int s[N / 32];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = cg::reduce(warp, in[threadIdx.x], cg::plus<int>());
  if (threadIdx.x < 4)
    s[threadIdx.x] = 0;
  block.sync();
  if (warp.thread_rank() == 0)
    s[warp.meta_group_rank()] = sum; // error: race-read-write
  warp.sync();
  out[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

// Copies of a group.
__global__ void groupCopy(const int *in, int *out) {
  __shared__ int s[N];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(s));
  cg::wait(block);
  out[threadIdx.x] = s[N - 1 - threadIdx.x];
}

// Barriers.
__global__ void barrier(const int *in, int *out) {
  __shared__ int s[N];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0)
    init(&b, N);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  auto token = b.arrive();
  int own = in[threadIdx.x] * 2;
  b.wait(std::move(token));
  out[threadIdx.x] = s[N - 1 - threadIdx.x] + own;
}
__global__ void barrierEarly(const int *in, int *out) {
  __shared__ int s[N];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0)
    init(&b, N);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x]; // error: race-read-write
  auto token = b.arrive();
  out[threadIdx.x] = s[N - 1 - threadIdx.x];
  b.wait(std::move(token));
}
__global__ void betweenPieces(const int *in, int *out) {
  __shared__ int a[N], c[N];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0)
    init(&b, N);
  __syncthreads();
  a[threadIdx.x] = in[threadIdx.x];
  auto token = b.arrive();
  c[threadIdx.x] = in[threadIdx.x]; // error: race-read-write
  b.wait(std::move(token));
  out[threadIdx.x] = a[N - 1 - threadIdx.x] + c[N - 1 - threadIdx.x];
}
__global__ void barrierCopy(const int *in, int *out) {
  __shared__ alignas(16) int s[N];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0)
    init(&b, N);
  block.sync();
  cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(s)), b);
  b.arrive_and_wait();
  out[threadIdx.x] = s[N - 1 - threadIdx.x];
}

// Producers and consumers.
__global__ void warpSpecialized(const int *in, int *out, int rounds) {
  __shared__ int s[2][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], N);
    init(&empty[threadIdx.x], N);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      empty[r % 2].arrive_and_wait();
      s[r % 2][threadIdx.x] = in[r * 64 + threadIdx.x];
      (void)full[r % 2].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
      full[r % 2].arrive_and_wait();
      sum += s[r % 2][127 - threadIdx.x];
      if (r + 2 < rounds)
        (void)empty[r % 2].arrive();
    }
    out[threadIdx.x - 64] = sum;
  }
}
__global__ void ownPipeline(const int *in, int *out, int rounds) {
  __shared__ int s[2][N];
  auto pipe = cuda::make_pipeline();
  int sum = 0, t = threadIdx.x;
  auto load = [&](int r) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[r % 2][t], &in[r * N + t], sizeof(int), pipe);
    pipe.producer_commit();
  };
  load(0);
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds)
      load(r + 1);
    if (r + 1 < rounds)
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum += s[r % 2][N - 1 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[t] = sum;
}
__global__ void ownPipelineNoBarrier(const int *in, int *out, int rounds) {
  __shared__ int s[2][N];
  auto pipe = cuda::make_pipeline();
  int sum = 0, t = threadIdx.x;
  s[0][t] = s[1][t] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[r % 2][t], &in[r * N + t], sizeof(int), pipe); // error: race-read-write
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += s[r % 2][N - 1 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// Clusters.
__global__ void __cluster_dims__(2) neighbour(const int *in, int *out) {
  __shared__ int s[N];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x] + blockIdx.x;
  cluster.sync();
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * N + threadIdx.x] = other[N - 1 - threadIdx.x];
  cluster.sync();
}
__global__ void __cluster_dims__(2) neighbourEarly(const int *in, int *out) {
  __shared__ int s[N];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x] + blockIdx.x; // error: race-read-write
  __syncthreads();
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * N + threadIdx.x] = other[N - 1 - threadIdx.x];
  cluster.sync();
}
__global__ void __cluster_dims__(2) histogram(const int *in, int *out) {
  __shared__ int bins[16];
  auto cluster = cg::this_cluster();
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  cluster.sync();
  int value = in[threadIdx.x] & 31;
  atomicAdd(cluster.map_shared_rank(&bins[value & 15], value >> 4), 1);
  cluster.sync();
  if (threadIdx.x < 16)
    atomicAdd(&out[blockIdx.x % 2 * 16 + threadIdx.x], bins[threadIdx.x]);
}

// The whole grid.
__global__ void jacobi(float *a, float *b, int n) {
  auto grid = cg::this_grid();
  for (int k = 0; k < 4; ++k) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = (a[i] + a[(i + 1) % n]) / 2;
    grid.sync();
    float *c = a;
    a = b, b = c;
  }
}
__global__ void jacobiInPlace(float *a, float *b, int n) {
  auto grid = cg::this_grid();
  for (int k = 0; k < 4; ++k) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      a[i] = (a[i] + a[(i + 1) % n]) / 2; // error: race-read-write
    grid.sync();
  }
}

int main() {
  int *in, *out, host[8 * N];
  for (int i = 0; i < 8 * N; ++i)
    host[i] = i % 37;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(host));
  tiles<<<1, N>>>(in, out);
  tilesTooSmall<<<1, N>>>(in, out);
  cudaMemset(out, 0, sizeof(host));
  coalesced<<<1, N>>>(in, out, out + 1);
  leader<<<1, N>>>(in, out);
  leaderWarpOnly<<<1, N>>>(in, out);
  groupCopy<<<1, N>>>(in, out);
  barrier<<<1, N>>>(in, out);
  barrierEarly<<<1, N>>>(in, out);
  betweenPieces<<<1, N>>>(in, out);
  barrierCopy<<<1, N>>>(in, out);
  warpSpecialized<<<1, N>>>(in, out, 6);
  ownPipeline<<<1, N>>>(in, out, 6);
  ownPipelineNoBarrier<<<1, N>>>(in, out, 6);
  neighbour<<<4, N>>>(in, out);
  neighbourEarly<<<4, N>>>(in, out);
  cudaMemset(out, 0, sizeof(host));
  histogram<<<4, N>>>(in, out);
  float *a, *b;
  int n = 300;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  void *arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void *)jacobi, 2, N, arguments);
  cudaLaunchCooperativeKernel((void *)jacobiInPlace, 2, N, arguments);
  return cudaDeviceSynchronize();
}
