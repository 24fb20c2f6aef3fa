// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -rdc=true -cudart shared %s -o %t.rdc && %t.rdc
// NVCC: -DPLAIN
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, symbols and managed variables before main and after it: constructors and destructors of global objects (also
// those that come first by their priority), of a thread's and a function's objects, and what atexit has noted. Code that
// runs after main tells by the exit status. (nvcc's programs cannot launch before a constructor of their own object file,
// so PLAIN leaves the priorities out.)
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <unistd.h>

__constant__ int factor = 3;
__device__ int base = 4;
__managed__ int managed = 5;
__managed__ int sums[4] = {1, 2, 3, 4};

__global__ void fill(int *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[i] = base + factor * i;
}
__global__ void addOne() { ++managed; }

int wrong = 0;
void check(const char *what, bool isRight) {
  if (isRight)
    return;
  std::fprintf(stderr, "wrong: %s (%s)\n", what, cudaGetErrorString(cudaPeekAtLastError()));
  wrong = 1;
}
void checkAfterMain(const char *what, bool isRight) {
  check(what, isRight);
  if (!isRight)
    _exit(1);
}

struct Buffer {
  int *p = nullptr, first = -1;
  Buffer() {
    cudaMalloc(&p, 32 * sizeof(int));
    fill<<<1, 32>>>(p, 32);
    cudaMemcpy(&first, p + 2, sizeof(int), cudaMemcpyDeviceToHost);
  }
  ~Buffer() {
    int last = -1;
    fill<<<1, 32>>>(p, 32);
    cudaMemcpy(&last, p + 31, sizeof(int), cudaMemcpyDeviceToHost);
    checkAfterMain("destructor", last == 4 + 3 * 31 && cudaFree(p) == cudaSuccess);
    checkAfterMain("device after main", cudaDeviceSynchronize() == cudaSuccess);
  }
};

#ifdef PLAIN
#define FIRST(n)
#else
#define FIRST(n) __attribute__((init_priority(n)))
#endif

struct Symbols {
  int before = 0, constant = 0, size = 0, sum = 0;
  Symbols() {
    before = managed + sums[3];
    addOne<<<1, 1>>>();
    cudaDeviceSynchronize();
    before += managed;
    cudaMemcpyFromSymbol(&constant, factor, sizeof constant);
    size_t bytes = 0;
    cudaGetSymbolSize(&bytes, sums);
    size = int(bytes);
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, fill) == cudaSuccess)
      sum = attributes.maxThreadsPerBlock;
    std::ios_base::Init streams; // we may come before them
    std::cout << "stream\n";
  }
};

FIRST(101) Buffer earliest;
FIRST(200) Symbols symbols;
Buffer early;

// Made before everything of CUDA's, so destroyed after it. (The compiler is gone by then: the launch is one that was compiled.)
struct Late {
  int *p = nullptr;
  ~Late() {
    int value = -1;
    checkAfterMain("allocation", cudaMalloc(&p, 64) == cudaSuccess);
    fill<<<1, 32>>>(p, 1);
    checkAfterMain("launch", cudaGetLastError() == cudaSuccess);
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    checkAfterMain("value", value == 4);
    cudaStream_t stream;
    checkAfterMain("stream", cudaStreamCreate(&stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    cudaFree(p);
  }
};
FIRST(102) Late late;
thread_local Late lateOfThread;
thread_local Buffer ofThread;

Buffer &local() {
  static Buffer buffer;
  return buffer;
}

#ifndef PLAIN
int fromFunction = 0;
__attribute__((constructor(101))) void before() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  fill<<<1, 32>>>(p, 32);
  cudaDeviceSynchronize();
  fromFunction = p[4];
  cudaFree(p);
}
#endif

int main() {
  int other = -1;
  std::thread([&] {
    (void)lateOfThread.p; // made first, so destroyed last
    other = ofThread.first;
  }).join();
  (void)lateOfThread.p;
  check("global object", early.first == 10 && earliest.first == 10);
  check("function's object", local().first == 10);
  check("other thread's object", other == 10);
  check("thread's object", ofThread.first == 10);
  check("symbols", symbols.before == 5 + 4 + 6 && symbols.constant == 3 && symbols.size == 16);
  check("kernel's attributes", symbols.sum == 1024);
#ifndef PLAIN
  check("constructor function", fromFunction == 16);
#endif
  atexit([] {
    int *p;
    cudaMallocManaged(&p, 32 * sizeof(int));
    fill<<<1, 32>>>(p, 32);
    checkAfterMain("atexit", cudaDeviceSynchronize() == cudaSuccess && p[1] == 7);
    cudaFree(p);
  });
  return wrong;
}
