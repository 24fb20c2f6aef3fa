// RUN: %heddle cc -g %s -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Host code writes device memory, where a GPU's driver would end the program
// CHECK-NEXT: at {{.*}}host_code.cu:[[#@LINE+20]]{{.*}} in assign
// CHECK: it is inside 256 bytes of device memory
// CHECK: Host code reads device memory
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that touches memory that is the device's alone, and memory that is its own as well.
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

constexpr int N = 64;

__attribute__((noinline)) void assign(int *p) {
  for (int i = 0; i < N; i++)
    p[i] = i; // error: host-access-to-device-memory
}
__attribute__((noinline)) int sum(const int *p) {
  int sum = 0;
  for (int i = 0; i < N; i++)
    sum += p[i]; // error: host-access-to-device-memory
  return sum;
}
__attribute__((noinline)) void copy(int *to, const int *from) {
  memcpy(to, from, N * sizeof(int)); // error: host-access-to-device-memory
}
__attribute__((noinline)) int first(const int *p) { // behind a kernel
  return p[0]; // error: host-access-to-device-memory
}
__attribute__((noinline)) void inThread(int *p) {
  std::thread([p] { p[1] = 2; }).join(); // error: host-access-to-device-memory
}

__attribute__((noinline)) int assignOwn(int *p) {
  for (int i = 0; i < N; i++)
    p[i] = i;
  twice<<<1, N>>>(p);
  cudaDeviceSynchronize();
  return std::accumulate(p, p + N, 0);
}

int main() {
  int *p, *managed, *pinned, *mapped, host[N];
  cudaMalloc(&p, N * sizeof(int));
  assign(p);
  cudaMalloc(&p, N * sizeof(int));
  host[0] = sum(p);
  cudaMalloc(&p, N * sizeof(int));
  copy(host, p);
  cudaMalloc(&p, N * sizeof(int));
  inThread(p);
  cudaMalloc(&p, N * sizeof(int));
  cudaMemset(p, 1, N * sizeof(int));
  twice<<<1, N>>>(p);
  cudaDeviceSynchronize();
  host[1] = first(p);

  cudaMallocManaged(&managed, N * sizeof(int));
  cudaMallocHost(&pinned, N * sizeof(int));
  cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped);
  int total = assignOwn(managed) + assignOwn(pinned) + assignOwn(mapped);
  // Copies and kernels in between, from many threads.
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([] {
      int *own, values[N] = {1, 2, 3};
      cudaMalloc(&own, sizeof(values));
      for (int i = 0; i < 50; i++) {
        cudaMemcpy(own, values, sizeof(values), cudaMemcpyHostToDevice);
        twice<<<1, N>>>(own);
        cudaMemcpy(values, own, sizeof(values), cudaMemcpyDeviceToHost);
        values[1] = 1;
      }
      cudaFree(own);
    });
  for (std::thread &thread : threads)
    thread.join();
  printf("%d\n", total);
  return 0;
}
