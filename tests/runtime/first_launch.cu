// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events do not count the compilation of a kernel that is launched between them for the first time.
// RUN: %nvcc -O3 %s -o %t
// RUN: env CUDA_CACHE_DISABLE=1 %t | FileCheck %s
// CHECK: the first launch counts as one launch
// CHECK: what ran meanwhile counts
#include <chrono>
#include <cstdio>
#include <thread>

__global__ void first(float *a) { a[threadIdx.x] = sinf(a[threadIdx.x]) * cosf(a[threadIdx.x]); }
__global__ void second(float *a) { a[threadIdx.x] = expf(a[threadIdx.x]) + logf(a[threadIdx.x]); }

struct Times {
  float events;
  double host;
};

template <class F> static Times measure(F &&run) {
  using namespace std::chrono;
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  auto begin = steady_clock::now();
  cudaEventRecord(start);
  run();
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  Times times;
  times.host = duration<double, std::milli>(steady_clock::now() - begin).count();
  cudaEventElapsedTime(&times.events, start, end);
  return times;
}

int main() {
  float *a;
  cudaMalloc(&a, 1024);
  cudaDeviceSynchronize();
  Times times = measure([&] { first<<<1, 64>>>(a); });
  if (times.events >= 0 && times.events < times.host / 2)
    puts("the first launch counts as one launch");
  else
    printf("%f of %f ms\n", times.events, times.host);
  // The stream has work to do for longer than the compilation takes.
  times = measure([&] {
    cudaLaunchHostFunc(0, [](void *) { std::this_thread::sleep_for(std::chrono::seconds(2)); }, nullptr);
    second<<<1, 64>>>(a);
  });
  if (times.events >= 1900)
    puts("what ran meanwhile counts");
  else
    printf("%f of %f ms\n", times.events, times.host);
  return cudaDeviceSynchronize();
}
