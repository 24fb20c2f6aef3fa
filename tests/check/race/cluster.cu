// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of other blocks of a cluster, and the kernels' heap.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck %s %t
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int N = 64;
#define T int(threadIdx.x)

// A barrier of the cluster comes between the owner's write and the other's read.
__global__ void __cluster_dims__(2) exchangeRight(int *out) {
  __shared__ int s[N];
  cg::cluster_group cluster = cg::this_cluster();
  s[T] = T + blockIdx.x;
  cluster.sync();
  const int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * N + T] = other[T];
  cluster.sync(); // so that the memory lives as long
}
// One of the block is not enough.
__global__ void __cluster_dims__(2) exchange(int *out) {
  __shared__ int s[N];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  s[T] = T + blockIdx.x; // error: race-read-write
  __syncthreads();
  const int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * N + T] = other[T];
  cluster.sync();
}

// The owner may have ended.
__global__ void __cluster_dims__(2) exchangeLate(int *out) {
  __shared__ int s[N];
  cg::cluster_group cluster = cg::this_cluster();
  s[T] = T + blockIdx.x;
  cluster.sync();
  const int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * N + T] = other[T]; // error: race-with-end
}
// The first block waits for the second one's reads.
__global__ void __cluster_dims__(2) handOver(int *out) {
  __shared__ int s[N];
  cg::cluster_group cluster = cg::this_cluster();
  s[T] = T;
  cluster.sync();
  if (cluster.block_rank() == 1)
    out[T] = cluster.map_shared_rank(s, 0)[T];
  cluster.barrier_wait(cluster.barrier_arrive());
}
__global__ void __cluster_dims__(2) addLate(int *out) {
  __shared__ int total;
  cg::cluster_group cluster = cg::this_cluster();
  if (T == 0)
    total = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&total, 0), 1); // error: race-with-end
  if (cluster.block_rank() == 1)
    out[T] = T;
}

// Two blocks write to a third one's memory.
__global__ void __cluster_dims__(4) gatherRight(int *out) {
  __shared__ int s[4 * N];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  cluster.map_shared_rank(s, 0)[cluster.block_rank() * N + T] = T;
  cluster.sync();
  if (cluster.block_rank() == 0)
    for (int i = 0; i < 4; ++i)
      out[i * N + T] = s[i * N + T];
}
__global__ void __cluster_dims__(4) gather(int *out) {
  __shared__ int s[N];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  int rank = int(cluster.block_rank());
  cluster.map_shared_rank(s, 0)[T] = T * rank; // error: race-write-write
  cluster.sync();
  if (rank == 0)
    out[T] = s[T];
}

// Atomic operations for the cluster; for the block.
__global__ void __cluster_dims__(2) countRight(int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (T == 0)
    sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
  cluster.sync();
  if (T == 0 && cluster.block_rank() == 0)
    out[blockIdx.x] = sum;
}
__global__ void __cluster_dims__(2) count(int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (T == 0)
    sum = 0;
  cluster.sync();
  atomicAdd_block(cluster.map_shared_rank(&sum, 0), 1); // error: race-atomic-scope
  cluster.sync();
  if (T == 0 && cluster.block_rank() == 0)
    out[blockIdx.x] = sum;
}

// Within a block, as everywhere.
__global__ void __cluster_dims__(2) shift(int *out) {
  __shared__ int s[N + 1];
  s[T] = T; // error: race-read-write
  out[blockIdx.x * N + T] = s[T + 1];
}
__global__ void __cluster_dims__(2) shiftRight(int *out) {
  __shared__ int s[N + 1];
  s[T] = T;
  if (T == 0)
    s[N] = 0;
  __syncthreads();
  out[blockIdx.x * N + T] = s[T + 1];
}

// A block of the heap that all threads share.
__global__ void heap(int *out) {
  __shared__ int *memory;
  if (T == 0)
    memory = (int *)malloc(N * sizeof(int));
  __syncthreads();
  memory[T] = T; // error: race-read-write
  out[blockIdx.x * N + T] = memory[N - 1 - T];
  __syncthreads();
  if (T == 0)
    free(memory);
}
__global__ void heapRight(int *out) {
  __shared__ int *memory;
  for (int i = 0; i < 2; ++i) { // the second time it may be the same memory, of another thread
    if (T == i)
      memory = (int *)malloc(N * sizeof(int));
    __syncthreads();
    memory[T] = T;
    __syncthreads();
    out[blockIdx.x * N + T] = memory[N - 1 - T];
    __syncthreads();
    if (T == i)
      free(memory);
    __syncthreads();
  }
  int *own = (int *)malloc(sizeof(int));
  *own = T;
  out[blockIdx.x * N + T] += *own;
  free(own);
}

int main() {
  int *out;
  cudaMalloc(&out, 8 * N * sizeof(int));
  for (int i = 0; i < 2; ++i) {
    exchangeRight<<<4, N>>>(out);
    exchange<<<4, N>>>(out);
    exchangeLate<<<4, N>>>(out);
    handOver<<<4, N>>>(out);
    addLate<<<4, N>>>(out);
    gatherRight<<<8, N>>>(out);
    gather<<<4, N>>>(out);
    countRight<<<8, N>>>(out);
    count<<<4, N>>>(out);
    shift<<<4, N>>>(out);
    shiftRight<<<4, N>>>(out);
    heap<<<2, N>>>(out);
    heapRight<<<2, N>>>(out);
  }
  return cudaDeviceSynchronize();
}
