// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel without races of its own that runs when a stream is made which does not wait for it; and one that still runs when
// the program ends.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t
// RUN: %heddle cc -g -cudart shared %s -o %t.shared && %check --tool racecheck %s %t.shared
#include <cuda_runtime.h>
constexpr int N = 256;

__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void fillSeen(int *a) { a[threadIdx.x] = 1; }
__global__ void fillBlocking(int *a) { a[threadIdx.x] = 1; }
__global__ void fillOther(int *a) { a[threadIdx.x] = 1; }
__global__ void change(int *a) { a[threadIdx.x] = 2; } // error: race-write-write
__global__ void changeInOrder(int *a) { a[threadIdx.x] += 1; }
__global__ void shift(int *a) {
  int next = a[(threadIdx.x + 1) % N];
  a[threadIdx.x] = next; // error: race-read-write
}

int main(int count, char **) {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));
  cudaStream_t one, two, three, four;

  fill<<<1, N>>>(a);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  change<<<1, N, 0, one>>>(a);
  cudaDeviceSynchronize();

  // The host has seen its end; the stream waits for the default one; another array.
  fillSeen<<<1, N>>>(a);
  cudaDeviceSynchronize();
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  changeInOrder<<<1, N, 0, two>>>(a);
  cudaDeviceSynchronize();
  fillBlocking<<<1, N>>>(a);
  cudaStreamCreate(&three);
  changeInOrder<<<1, N, 0, three>>>(a);
  cudaDeviceSynchronize();
  fillOther<<<1, N>>>(a);
  cudaStreamCreateWithPriority(&four, cudaStreamNonBlocking, 0);
  changeInOrder<<<1, N, 0, four>>>(b);
  cudaDeviceSynchronize();

  shift<<<1, N>>>(a);
  return 0;
}
