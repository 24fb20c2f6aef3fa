// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread with the smallest stack that there is makes the first call, launches kernels that must
// be compiled, also with many parameters, and copies. So does a program whose stacks are limited.
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc %s -o %t && env CUDA_CACHE_DISABLE=1 %t
// RUN: env CUDA_CACHE_DISABLE=1 bash -c 'ulimit -s 64 && %t'
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

struct Large {
  int values[900];
};

__global__ void add(int *x) { atomicAdd(x, 1); }
__global__ void addAll(int *x, Large large) { atomicAdd(x, large.values[threadIdx.x]); }

static Large ones;
static const char *failed;

static void *run(void *) {
  int *x, value = 0;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  if (cudaMalloc(&x, 4) || cudaMemset(x, 0, 4) || cudaStreamCreate(&stream))
    return failed = "memory", nullptr;
  add<<<4, 32>>>(x);
  addAll<<<1, 32>>>(x, ones);
  if (cudaGetLastError())
    return failed = "launch", nullptr;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<2, 64, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&executable, graph, 0) || cudaGraphLaunch(executable, stream) ||
      cudaStreamSynchronize(stream))
    return failed = "graph", nullptr;
  if (cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) || value != 128 + 32 + 128)
    failed = "value";
  return nullptr;
}

int main() {
  for (int &value : ones.values)
    value = 1;
  for (size_t bytes : {size_t(PTHREAD_STACK_MIN), size_t(32) << 10, size_t(64) << 10}) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      pthread_attr_t attributes;
      pthread_t thread;
      pthread_attr_init(&attributes);
      pthread_attr_setstacksize(&attributes, bytes);
      if (pthread_create(&thread, &attributes, run, nullptr))
        _exit(2);
      pthread_join(thread, nullptr);
      if (failed)
        printf("%s\n", failed), fflush(stdout);
      _exit(failed != nullptr);
    }
    int status;
    waitpid(child, &status, 0);
    if (status)
      return printf("FAIL stack of %zu bytes: status %x\n", bytes, status), 1;
  }
  printf("ok\n");
}
