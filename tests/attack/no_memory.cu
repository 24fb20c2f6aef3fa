// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out (ulimit -v) in the midst of calls gives errors; no exception leaves CUDA's
// functions, and when there is memory again all goes on. (One worker: another one's first kernel
// would need memory and lose the device.)
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc %s -o %t && env HEDDLE_WORKERS=1 %t
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

__global__ void add(int *x) { atomicAdd(x, 1); }

/// Takes what malloc has left under the limit.
static void takeAll(void **&list) {
  list = nullptr;
  for (size_t bytes = 1 << 20; bytes >= 32; bytes /= 2)
    while (void **p = (void **)malloc(bytes))
      *p = list, list = p;
}

static void giveAll(void **list) {
  while (list) {
    void **next = (void **)*list;
    free(list);
    list = next;
  }
}

int main() {
  int *x, value = 0;
  alarm(120);
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  add<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  FILE *file = fopen("/proc/self/statm", "r");
  size_t pages;
  if (fscanf(file, "%zu", &pages) != 1)
    return 1;
  fclose(file);
  rlimit before, limit;
  getrlimit(RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = pages * 4096 + (4 << 20);
  setrlimit(RLIMIT_AS, &limit);
  void **list;
  takeAll(list);
  int refused = 0;
  for (int i = 0; i < 2000; i++) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    void *p;
    refused += cudaStreamCreate(&stream) == cudaErrorMemoryAllocation;
    refused += cudaEventCreate(&event) == cudaErrorMemoryAllocation;
    if (cudaGraphCreate(&graph, 0) == cudaSuccess)
      refused += cudaGraphAddEmptyNode(&node, graph, nullptr, 0) == cudaErrorMemoryAllocation;
    refused += cudaMalloc(&p, 64) == cudaErrorMemoryAllocation;
    add<<<1, 1>>>(x);
  }
  giveAll(list);
  setrlimit(RLIMIT_AS, &before);
  cudaGetLastError();
  cudaDeviceSynchronize();
  cudaMemset(x, 0, 4);
  add<<<1, 7>>>(x);
  if (cudaError_t error = cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost))
    return printf("afterwards: %s\n", cudaGetErrorName(error)), 1;
  printf("%d refused, then %d\n", refused, value);
  return value != 7 || !refused;
}
