// What threads of the parent hold is lost in a child, and so a leak: LSan is not asked.
// RUN: %nvcc %s -o %t && env ASAN_OPTIONS=detect_leaks=0 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that is forked from one that has used CUDA gets cudaErrorInitializationError from every call, as on a GPU, and
// ends as any other does. One that was forked before the first call may use CUDA.
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void addOne(int *x) { atomicAdd(x, 1); }

__device__ int variable;

static int failures = 0;

static void expectRefused(cudaError_t error, const char *what) {
  if (error == cudaErrorInitializationError)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
  ++failures;
}
#define REFUSED(call) expectRefused(call, #call)

/// A child of a process that has a device, with a stream, memory and an event from before.
static int useAll(cudaStream_t stream, cudaEvent_t event, int *memory) {
  int number = 0;
  void *p;
  cudaStream_t other;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  REFUSED(cudaGetDeviceCount(&number));
  REFUSED(cudaSetDevice(0));
  REFUSED(cudaGetDevice(&number));
  REFUSED(cudaGetDeviceProperties(&properties, 0));
  REFUSED(cudaMalloc(&p, 4));
  REFUSED(cudaMallocManaged(&p, 4));
  REFUSED(cudaMallocHost(&p, 4));
  REFUSED(cudaFree(memory));
  REFUSED(cudaMemcpy(&number, memory, 4, cudaMemcpyDeviceToHost));
  REFUSED(cudaMemcpyAsync(&number, memory, 4, cudaMemcpyDeviceToHost, stream));
  REFUSED(cudaMemcpyToSymbol(variable, &number, 4));
  REFUSED(cudaMemset(memory, 0, 4));
  REFUSED(cudaStreamCreate(&other));
  REFUSED(cudaStreamSynchronize(stream));
  REFUSED(cudaStreamQuery(stream));
  REFUSED(cudaEventRecord(event, stream));
  REFUSED(cudaEventSynchronize(event));
  REFUSED(cudaFuncGetAttributes(&attributes, addOne));
  addOne<<<1, 1, 0, stream>>>(memory);
  REFUSED(cudaPeekAtLastError());
  REFUSED(cudaGetLastError());
  REFUSED(cudaDeviceSynchronize());
  REFUSED(cudaDeviceReset());
  return failures;
}

/// Waits for a child, which must end by itself.
static void expectEnd(int child) {
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0) {
    fprintf(stderr, "child ended with status %d\n", status);
    ++failures;
  }
}

static int useFresh() {
  int *x, result = 0;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  addOne<<<4, 32>>>(x);
  cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  return result != 128 || cudaGetLastError() != cudaSuccess;
}

int main() {
  int child = fork();
  if (child == 0)
    return useFresh();
  expectEnd(child);
  failures += useFresh();

  cudaStream_t stream;
  cudaEvent_t event;
  int *memory;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaMalloc(&memory, sizeof(int));
  cudaMemset(memory, 0, sizeof(int));
  addOne<<<1, 1, 0, cudaStreamPerThread>>>(memory); // a stream that goes with its thread
  for (int i = 0; i < 50; ++i) {
    // Forks while workers are inside the engine.
    addOne<<<100, 32, 0, stream>>>(memory);
    child = fork();
    if (child == 0) {
      int own = 0;
      if (i == 0) // also on a thread of its own, which ends
        std::thread([&] { own = useAll(stream, event, memory); }).join();
      exit(own + useAll(stream, event, memory));
    }
    expectEnd(child);
  }
  // The parent goes on.
  int result = 0;
  cudaDeviceSynchronize();
  cudaMemcpy(&result, memory, sizeof(int), cudaMemcpyDeviceToHost);
  if (result != 1 + 50 * 3200 || cudaGetLastError() != cudaSuccess) {
    fprintf(stderr, "the parent has %d\n", result);
    ++failures;
  }
  return failures != 0;
}
