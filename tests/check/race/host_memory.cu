// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that kernels and copies use at the same time: pinned, managed, registered.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t
#include <cstdlib>
constexpr int N = 1024, Bytes = N * sizeof(int);

__global__ void fillPinned(int *a) { a[threadIdx.x] = 1; }     // error: race-read-write
__global__ void fillManaged(int *a) { a[threadIdx.x] = 1; }    // error: race-write-write
__global__ void fillRegistered(int *a) { a[threadIdx.x] = 1; } // error: race-read-write
__global__ void fillSeen(int *a) { a[threadIdx.x] = 1; }
__global__ void fillGivenBack(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *device, *pinned, *managed, *registered = static_cast<int *>(malloc(Bytes));
  cudaMalloc(&device, Bytes);
  cudaMallocHost(&pinned, Bytes);
  cudaMallocManaged(&managed, Bytes);
  cudaHostRegister(registered, Bytes, cudaHostRegisterMapped);
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  int pageable[N] = {};

  fillPinned<<<1, N, 0, one>>>(pinned);
  cudaMemcpy(device, pinned, Bytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  fillManaged<<<1, N, 0, one>>>(managed);
  cudaMemcpy(managed, pageable, Bytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  fillRegistered<<<1, N, 0, one>>>(registered);
  cudaMemcpyAsync(device, registered, Bytes, cudaMemcpyHostToDevice, two);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(registered, device, Bytes, cudaMemcpyDeviceToHost, one);
  cudaMemcpyAsync(registered + 1, device, sizeof(int), cudaMemcpyDeviceToHost, two); // error: race-write-write
  cudaDeviceSynchronize();

  for (int *memory : {pinned, managed, registered}) {
    fillSeen<<<1, N, 0, one>>>(memory);
    cudaStreamSynchronize(one);
    cudaMemcpyAsync(device, memory, Bytes, cudaMemcpyDefault, two);
    cudaMemcpyAsync(device, memory, Bytes, cudaMemcpyDefault, two);
    cudaDeviceSynchronize();
  }
  fillGivenBack<<<1, N / 2, 0, one>>>(registered + N / 2);
  cudaMemcpyAsync(device, registered, Bytes / 2, cudaMemcpyHostToDevice, two);
  cudaHostUnregister(registered);
  cudaHostRegister(registered, Bytes, cudaHostRegisterMapped);
  cudaMemcpyAsync(device, registered, Bytes, cudaMemcpyHostToDevice, two);
  return cudaDeviceSynchronize();
}
