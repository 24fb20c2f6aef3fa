// RUN: %nvcc --default-stream per-thread %s -o %t && %t
// RUN: %nvcc %s -o %t && not %t 300
// RUN: %heddle run --default-stream=per-thread %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With --default-stream per-thread a launch without a stream goes to the thread's own stream: it does not wait
// for a blocking stream. Run without the option, this program ends with 1, after
// as many milliseconds as it is told to wait.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

__global__ void mark(int *at) { *at = 1; }

int main(int count, char **arguments) {
  int *at;
  cudaMallocManaged(&at, sizeof *at);
  mark<<<1, 1>>>(at); // a GPU loads the kernel, for which it may wait for what goes on there
  cudaDeviceSynchronize();
  *at = 0;
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  static std::atomic<bool> open;
  cudaLaunchHostFunc(blocking, [](void *) { while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, nullptr);
  mark<<<1, 1>>>(at);
  bool overtook = false;
  const int wait = count > 1 ? std::atoi(arguments[1]) : 60000;
  for (int i = 0; i < wait && !overtook; i++) {
    overtook = cudaStreamQuery(cudaStreamPerThread) == cudaSuccess && *static_cast<volatile int *>(at) == 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  open = true;
  return cudaDeviceSynchronize() != cudaSuccess || *at != 1 || !overtook;
}
