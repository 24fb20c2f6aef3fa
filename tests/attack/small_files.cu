// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where files may not become large (ulimit -f), the cache is left out. SIGXFSZ ends nobody. Where
// not even a kernel fits in a file, its launch and the next synchronisation fail.
//
// RUN: %heddle cc %s -o %t && rm -rf %t.cache && mkdir %t.cache
// RUN: env CUDA_CACHE_PATH=%t.cache %t
// RUN: rm -rf %t.cache && mkdir %t.cache && env CUDA_CACHE_PATH=%t.cache %t 2> %t.errors
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *x) { atomicAdd(x, 1); }

static int run(rlim_t bytes) {
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  int *x, value = 0;
  cudaIpcMemHandle_t handle;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  add<<<4, 32>>>(x);
  const cudaError_t error = cudaGetLastError(), behind = cudaDeviceSynchronize();
  cudaIpcGetMemHandle(&handle, x); // a file in memory
  if (error != behind)
    return printf("%s, then %s\n", cudaGetErrorName(error), cudaGetErrorName(behind)), 1;
  if (error)
    return 2;
  return cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) || value != 128;
}

int main() {
  int ends[3] = {};
  for (rlim_t bytes : {0ul, 1ul, 4096ul, 1ul << 14, 1ul << 22, RLIM_INFINITY}) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
      _exit(run(bytes));
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 1 || WEXITSTATUS(status) > 2)
      return printf("FAIL %lu bytes: status %x\n", (unsigned long)bytes, status), 1;
    ends[WEXITSTATUS(status)]++;
  }
  printf("%d worked, %d had no room for a kernel\n", ends[0], ends[2]);
  return !ends[0] || !ends[2];
}
