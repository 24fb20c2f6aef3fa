// RUN: rm -rf %t.cache %t.link
// RUN: env -u HEDDLE_PRECOMPILED_HEADERS HEDDLE_TUNE=off CUDA_CACHE_PATH=%t.cache %heddle run %s
// RUN: env -u HEDDLE_PRECOMPILED_HEADERS CUDA_CACHE_PATH=%t.cache HEDDLE_TUNE=off %python %S/Inputs/damage.py %t.cache %heddle run %s
//
// A folder that others may write to, or that a link leads to: one line, and all goes on without it.
// RUN: chmod 777 %t.cache
// RUN: env CUDA_CACHE_PATH=%t.cache %heddle run %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: chmod 700 %t.cache
// RUN: ln -s %t.cache %t.link
// RUN: env CUDA_CACHE_PATH=%t.link/ %heddle run %s 2>&1 | FileCheck %s --check-prefix=LINK
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs, manifests and kernels in the cache are compiled again when they are damaged.
// (Not forms, which are measured: a run does not always note them.)
#include <cstdio>

__global__ void add(int *x) { atomicAdd(x, int(threadIdx.x)); }

int main() {
  int *x, result = 0;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  add<<<2, 64>>>(x);
  cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("result %d\n", result);
  return result != 2 * 2016;
}

// OPEN: heddle: the cache in {{.*}}.cache is not used: others may write to it
// OPEN-NOT: heddle:
// OPEN: result 4032
// LINK: heddle: the cache in {{.*}}.link is not used: it is a symbolic link
// LINK-NOT: heddle:
// LINK: result 4032
