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
// Constants that a copy changes.
__constant__ int table[N], otherTable[N];
__global__ void look(int *b) {
  b[threadIdx.x] = table[threadIdx.x]; // error: race-read-write
}
__global__ void lookOther(int *b) { b[threadIdx.x] = otherTable[threadIdx.x]; }

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

  static int numbers[N];
  look<<<1, N, 0, one>>>(b);
  cudaMemcpyToSymbolAsync(table, numbers, sizeof(numbers), 0, cudaMemcpyHostToDevice, two);
  cudaDeviceSynchronize();
  lookOther<<<1, N, 0, one>>>(b);
  cudaMemcpyToSymbolAsync(otherTable, numbers, sizeof(numbers), 0, cudaMemcpyHostToDevice, one);
  lookOther<<<1, N, 0, one>>>(b);
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
