// RUN: rm -rf %t.cache %t
// RUN: %nvcc %s -o %t
// RUN: env CUDA_CACHE_PATH=%t.cache %t | FileCheck %s --check-prefix=FIRST
// RUN: env CUDA_CACHE_PATH=%t.cache %t | FileCheck %s --check-prefix=CACHED
// RUN: env CUDA_CACHE_PATH=%t.cache CUDA_CACHE_DISABLE=1 %t | FileCheck %s --check-prefix=FIRST
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose kernels are in the cache starts without LLVM and stays small.
#include <cstdio>
#include <cstring>

__global__ void addOne(int *x) { atomicAdd(x, int(threadIdx.x + blockIdx.x) & 1); }

/// Whether a file with this in its name is mapped.
static bool isMapped(const char *name) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  bool found = false;
  while (fgets(line, sizeof(line), maps))
    found |= strstr(line, name) != nullptr;
  fclose(maps);
  return found;
}

/// The most memory that the process ever held, in KB.
static long peakMemory() {
  char line[256];
  long kilobytes = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof(line), status))
    sscanf(line, "VmHWM: %ld kB", &kilobytes);
  fclose(status);
  return kilobytes;
}

int main() {
  int *x, result = -1;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  addOne<<<10, 64>>>(x);
  cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("result %d, LLVM %s, compiler %s, memory %s\n", result, isMapped("libLLVM") ? "loaded" : "absent",
         isMapped("libheddle_jit") ? "loaded" : "absent", peakMemory() < 60 * 1024 ? "small" : "large");
}

// FIRST: result 320, LLVM loaded, compiler loaded
// CACHED: result 320, LLVM absent, compiler absent, memory small
