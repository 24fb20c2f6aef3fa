// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of different streams.
// RUN: %heddle cc %s -o %t && %check --tool racecheck %s %t
constexpr int N = 256;

__global__ void fill(int *a, int value) {
  a[threadIdx.x] = value; // error: race-read-write
}
__global__ void add(int *a, int value) {
  a[threadIdx.x] += value; // error: race-write-write
}
// The same, and the one that reads comes first.
__global__ void fillLater(int *a, int value) {
  a[threadIdx.x] = value; // error: race-read-write
}
__global__ void addEarlier(int *a, int value) {
  a[threadIdx.x] += value; // error: race-write-write
}
__global__ void fillOther(int *a, int value) { a[threadIdx.x] = value; }
__global__ void addOther(int *a, int value) { a[threadIdx.x] += value; }
__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }

int main() {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);

  fill<<<1, N, 0, one>>>(a, 1);
  add<<<1, N, 0, two>>>(a, 2);
  cudaDeviceSynchronize();
  addEarlier<<<1, N, 0, two>>>(a, 2);
  fillLater<<<1, N, 0, one>>>(a, 1);
  cudaDeviceSynchronize();

  // An event.
  fillOther<<<1, N, 0, one>>>(a, 1);
  cudaEventRecord(done, one);
  cudaStreamWaitEvent(two, done);
  addOther<<<1, N, 0, two>>>(a, 2);
  // The host.
  cudaStreamSynchronize(two);
  addOther<<<1, N, 0, one>>>(a, 2);
  cudaEventRecord(done, one);
  cudaEventSynchronize(done);
  addOther<<<1, N, 0, two>>>(a, 2);
  while (cudaStreamQuery(two) != cudaSuccess)
    ;
  addOther<<<1, N, 0, one>>>(a, 2);
  cudaDeviceSynchronize();
  // Both read.
  copy<<<1, N, 0, one>>>(a, b);
  int *c;
  cudaMalloc(&c, N * sizeof(int));
  copy<<<1, N, 0, two>>>(a, c);
  cudaDeviceSynchronize();
  // The default stream.
  cudaStream_t three;
  cudaStreamCreate(&three);
  fillOther<<<1, N, 0, three>>>(a, 3);
  addOther<<<1, N>>>(a, 2);
  addOther<<<1, N, 0, three>>>(a, 2);
  return cudaDeviceSynchronize();
}
