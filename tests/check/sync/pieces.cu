// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %check --tool synccheck --report-api-errors no --exit 1 %s %t | FileCheck %s
// CHECK: Barrier of the cluster that threads wait for and have not arrived at
// CHECK: Barrier of the block for a number of threads that is no multiple of 32
// CHECK: the number is 40
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in two pieces, of clusters and blocks, and barriers with a number of threads.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void waitAlone(int *out) {
  out[threadIdx.x] = 1;
  asm volatile("barrier.cluster.wait;" ::: "memory"); // error: wait-without-arrival
}
__global__ void waitOfSome(int *out) { // half of the threads arrive
  if (threadIdx.x < 32)
    asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory"); // error: wait-without-arrival
  out[threadIdx.x] = 1;
}
__global__ void arriveTwice(int *out) {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  out[threadIdx.x] = 1;
  asm volatile("barrier.cluster.arrive;" ::: "memory"); // error: arrival-without-wait
  asm volatile("barrier.cluster.wait;" ::: "memory");
}
__global__ void rounds(int *out) {
  for (int i = 0; i < 3; i++) {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    out[threadIdx.x] = i;
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  }
  cg::this_cluster().sync();
}
/// Blocks that have ended are not waited for.
__global__ void someBlocks(int *out) {
  if (cg::this_cluster().block_rank() == 1)
    return;
  cg::this_cluster().sync();
  out[threadIdx.x] = 1;
}
__global__ void someWait(int *out) { // the last arrival needs no wait
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  if (threadIdx.x < 32)
    asm volatile("barrier.cluster.wait;" ::: "memory");
  out[threadIdx.x] = 1;
}
__global__ void ofThreads(int *out) { // the block's barrier in between
  cg::cluster_group cluster = cg::this_cluster();
  cluster.barrier_arrive();
  __syncthreads();
  cluster.barrier_wait();
  out[threadIdx.x] = 1;
}

__global__ void ofBlock(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto token = block.barrier_arrive();
  out[threadIdx.x] = 1;
  block.barrier_wait(std::move(token));
}

__global__ void oddCount(int *out) {
  if (threadIdx.x < 40)
    asm volatile("bar.sync 1, 40;" ::: "memory"); // error: barrier-bad-count
  out[threadIdx.x] = 1;
}
__global__ void oddCountOfValue(int *out, int n) {
  if (threadIdx.x < n)
    asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory"); // error: barrier-bad-count
  out[threadIdx.x] = 1;
}
__global__ void evenCount(int *out, int n) {
  if (threadIdx.x < n)
    asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
  out[threadIdx.x] = 1;
}
__global__ void oneTooMany(int *out) { // three warps at a barrier for two: the third one waits
  asm volatile("bar.sync 1, 64;" ::: "memory"); // error: deadlock
  out[threadIdx.x] = 1;
}
__global__ void inPairs(int *out) {
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}
__global__ void producer(int *out) { // one warp arrives, and two wait
  if (threadIdx.x < 32)
    asm volatile("bar.arrive 1, 96;" ::: "memory");
  else if (threadIdx.x < 96)
    asm volatile("bar.sync 1, 96;" ::: "memory");
  out[threadIdx.x] = 1;
}

template <class K, class... T> void run(K kernel, int threads, T... arguments) {
  int *out;
  cudaMalloc(&out, 4 * 1024);
  cudaLaunchConfig_t config = {};
  config.gridDim = 2, config.blockDim = threads;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  config.attrs = &attribute, config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, out, arguments...);
  if (cudaError_t error = cudaDeviceSynchronize())
    printf("%s\n", cudaGetErrorName(error)), cudaDeviceReset();
}

int main() {
  run(waitAlone, 64);
  run(waitOfSome, 64);
  run(arriveTwice, 64);
  run(rounds, 64);
  run(someBlocks, 64);
  run(someWait, 64);
  run(ofThreads, 64);
  run(ofBlock, 64);
  run(oddCount, 64);
  run(oddCountOfValue, 64, 40);
  run(evenCount, 64, 64);
  run(oneTooMany, 96);
  run(inPairs, 128);
  run(producer, 96);
  return 1;
}
