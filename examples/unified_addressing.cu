// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Unified Virtual Address Space".
//
// Host and device share one range of addresses, so a pointer's value tells where its memory is:
// cudaPointerGetAttributes says it, and cudaMemcpyDefault uses it.
#include "common.h"

static cudaMemoryType kindOf(const void *pointer) {
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type;
}

static bool hasManagedMemory() {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrManagedMemory, 0));
  return value != 0;
}

__global__ void addOne(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] += 1;
}

static void run(int n) {
  size_t bytes = n * sizeof(int);
  std::vector<int> plain = wholeNumbers<int>(n, 1000, 25), back(n), want = plain;
  for (int &value : want)
    value += 1;
  int *device, *locked, *managed;
  CUDA_CHECK(cudaMalloc(&device, bytes));
  CUDA_CHECK(cudaHostAlloc(&locked, bytes, cudaHostAllocDefault));
  if (hasManagedMemory())
    CUDA_CHECK(cudaMallocManaged(&managed, bytes));
  else // boards before Kepler
    CUDA_CHECK(cudaMallocHost(&managed, bytes));

  check(kindOf(plain.data()) == cudaMemoryTypeUnregistered, "memory that CUDA does not know");
  check(kindOf(locked) == cudaMemoryTypeHost, "page-locked memory");
  check(kindOf(device) == cudaMemoryTypeDevice, "device memory");
  check(kindOf(device + n / 2) == cudaMemoryTypeDevice, "the middle of device memory");
  if (hasManagedMemory())
    check(kindOf(managed) == cudaMemoryTypeManaged, "managed memory");

  // plain -> device -> locked -> managed -> plain, and no copy says from where to where
  CUDA_CHECK(cudaMemcpy(device, plain.data(), bytes, cudaMemcpyDefault));
  addOne<<<(n + 63) / 64, 64>>>(device, n);
  CUDA_CHECK(cudaMemcpy(locked, device, bytes, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(managed, locked, bytes, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(back.data(), managed, bytes, cudaMemcpyDefault));
  check(same(back, want), "copies by address, %d elements", n);
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaFreeHost(locked));
  CUDA_CHECK(hasManagedMemory() ? cudaFree(managed) : cudaFreeHost(managed));
}

int main() {
  for (int n : {1, 65, 100000})
    run(n);
  return exitCode();
}
