// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that is written and never read. Without the option it is no error.
// RUN: %heddle cc -arch=sm_80 -g %s -o %t
// RUN: %check --tool initcheck --track-unused-memory %s %t | FileCheck %s
// RUN: %build/bin/heddle check --tool initcheck --error-exitcode 3 %t
// RUN: %check --tool initcheck,racecheck --track-unused-memory %s %t
#include <cuda_pipeline.h>

constexpr int N = 100, Bytes = N * sizeof(int);
__device__ int variable[N];
__constant__ int constant[N];

__global__ void copy(const int *from, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
__global__ void count(int *counter) { atomicAdd(counter, 1); }
__global__ void add(int *to) {
  __shared__ int part[128];
  int i = threadIdx.x;
  if (i < N) {
    __pipeline_memcpy_async(&part[i], &to[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[i] = part[i] + variable[i] + constant[i];
  }
}

int host[2 * N];
int *made(int count = N) {
  int *p;
  cudaMalloc(&p, count * sizeof(int));
  return p;
}

void copies() {
  int *in = made(), *out = made();
  // Read by a kernel, and by the host.
  cudaMemcpy(in, host, Bytes, cudaMemcpyHostToDevice);
  copy<<<1, 128>>>(in, out, N);
  cudaMemcpy(host, out, Bytes, cudaMemcpyDeviceToHost);
  // Half of it.
  // CHECK-DAG: Nothing has read 200 bytes of 400 that were written to device memory, by cudaMemcpy
  cudaMemcpy(in, host, Bytes, cudaMemcpyHostToDevice); // error: unread-copy
  copy<<<1, 128>>>(in, out, N / 2);
  // Written again before anybody reads it, by another copy or a kernel.
  cudaMemset(in, 0, Bytes); // error: unread-copy
  cudaMemcpyAsync(in, host, Bytes, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, Bytes); // error: unread-copy
  copy<<<1, 128>>>(in, out, N);
  cudaMemcpy(host, out, Bytes, cudaMemcpyDeviceToHost);
  // Freed.
  cudaMemcpy(in, host, Bytes, cudaMemcpyHostToDevice); // error: unread-copy
  cudaFree(in);
  // Asynchronous copies of a kernel read, and so do variables.
  cudaMemcpyToSymbol(variable, host, Bytes);
  cudaMemcpyToSymbol(constant, host, Bytes);
  cudaMemcpy(out, host, Bytes, cudaMemcpyHostToDevice);
  add<<<1, 128>>>(out);
  cudaMemcpyToSymbol(constant, host, Bytes);
  cudaMemcpy(host, out, Bytes, cudaMemcpyDeviceToHost);
  cudaFree(out);
}

void allocations() {
  cudaMemset(made(), 0, Bytes); // error: unread-copy
  int *all = made(), *half = made();
  // CHECK-DAG: Nothing has read what kernels have written to 200 bytes of 400 of device memory, allocated by cudaMalloc
  int *none;
  cudaMalloc(&none, Bytes); // error: unread-memory
  cudaMemcpy(all, host, Bytes, cudaMemcpyHostToDevice);
  copy<<<1, 128>>>(all, half, N);
  copy<<<1, 128>>>(half, none, N);
  cudaMemcpy(host, none, Bytes / 2, cudaMemcpyDeviceToHost);
  int *counter;
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  count<<<2, 32>>>(counter);
  cudaMemcpy(host, counter, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(counter);
  // A row of a copy with a pitch, from device to device.
  int *rows = made(2 * N);
  cudaMemset(rows, 0, 2 * Bytes);
  cudaMemcpy2D(all, Bytes / 2, rows, Bytes, Bytes / 2, 2, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, all, Bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, rows, 2 * Bytes, cudaMemcpyDeviceToHost);
  cudaMallocAsync(&counter, sizeof(int), 0);
  cudaMemsetAsync(counter, 0, sizeof(int)); // error: unread-copy
  cudaFreeAsync(counter, 0);
}

int main() {
  copies();
  allocations();
  return cudaDeviceSynchronize();
}
