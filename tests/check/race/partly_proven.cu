// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of which a part needs no look: parameters whose accesses are all atomic, or that all
// threads have places of their own in; shared memory that all blocks use alike. The rest is looked at.
// RUN: %heddle cc -arch=sm_80 %s -o %t && %check --tool racecheck %s %t
constexpr int N = 64, Blocks = 8;
#define T int(threadIdx.x)
#define I int(blockIdx.x * N + threadIdx.x)

// Counters that all change; that one also reads, or sets.
__global__ void countRight(const int *in, int *bins) { atomicAdd(&bins[in[I] & 15], 1); }
__global__ void countAndRead(const int *in, int *bins, int *out) {
  atomicAdd(&bins[in[I] & 15], 1); // error: race-read-write
  out[I] = bins[0];
}
__global__ void countAndSet(const int *in, int *bins) {
  atomicAdd(&bins[in[I] & 15], 1);
  if (I == 70)
    bins[3] = 0; // error: race-read-write
}
__global__ void countForBlock(const int *in, int *bins) {
  atomicAdd_block(&bins[in[I] & 15], 1); // error: race-atomic-scope
}
// Two names of the counters.
__global__ void countTwice(const int *in, int *bins, int *same) {
  atomicAdd(&bins[in[I] & 15], 1);
  if (I == 70)
    same[3] = 0; // error: race-read-write
}
// The last block reads what the others have written: the counter orders them.
__global__ void lastRight(int *parts, unsigned *done, int *out) {
  __shared__ bool isLast;
  parts[I] = I;
  __threadfence();
  __syncthreads();
  if (T == 0)
    isLast = atomicAdd(done, 1) == gridDim.x - 1;
  __syncthreads();
  if (isLast) {
    int sum = 0;
    for (int b = 0; b < Blocks; ++b)
      sum += parts[b * N + T];
    out[T] = sum;
    *done = 0;
  }
}
// ... without the fence it does not.
__global__ void last(int *parts, unsigned *done, int *out) {
  __shared__ bool isLast;
  parts[I] = I; // error: race-read-write
  __syncthreads();
  if (T == 0)
    isLast = atomicAdd(done, 1) == gridDim.x - 1;
  __syncthreads();
  if (isLast) {
    int sum = 0;
    for (int b = 0; b < Blocks; ++b)
      sum += parts[b * N + T];
    out[T] = sum;
  }
}

// All blocks use shared memory alike; what they do with global memory is not known.
__global__ void turnRight(const int *places, int *a) {
  __shared__ int s[N];
  s[T] = I;
  __syncthreads();
  a[places[I]] = s[N - 1 - T];
}
__global__ void turn(const int *places, int *a) {
  __shared__ int s[N];
  s[T] = I;
  __syncthreads();
  a[places[I] & ~N] = s[N - 1 - T]; // error: race-write-write
}
__global__ void turnWithoutBarrier(const int *places, int *a) {
  __shared__ int s[N];
  s[T] = I; // error: race-read-write
  a[places[I]] = s[N - 1 - T];
}
// ... and where only some blocks go wrong, they do not.
__global__ void someTurn(const int *places, int *a) {
  __shared__ int s[N];
  if (blockIdx.x != 5)
    __syncthreads();
  s[T] = I; // error: race-read-write
  if (blockIdx.x != 5)
    __syncthreads();
  a[places[I]] = s[N - 1 - T];
}

int main() {
  int *in, *a, *bins, *out;
  unsigned *done;
  cudaMalloc(&in, Blocks * N * sizeof(int));
  cudaMalloc(&a, Blocks * N * sizeof(int));
  cudaMalloc(&bins, 16 * sizeof(int));
  cudaMalloc(&out, Blocks * N * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(bins, 0, 16 * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  int places[Blocks * N];
  for (int i = 0; i < Blocks * N; ++i)
    places[i] = i * 5 % (Blocks * N);
  cudaMemcpy(in, places, sizeof(places), cudaMemcpyHostToDevice);
  countRight<<<Blocks, N>>>(in, bins);
  countAndRead<<<Blocks, N>>>(in, bins, out);
  countAndSet<<<Blocks, N>>>(in, bins);
  countForBlock<<<Blocks, N>>>(in, bins);
  countTwice<<<Blocks, N>>>(in, bins, bins);
  lastRight<<<Blocks, N>>>(a, done, out);
  last<<<Blocks, N>>>(a, done, out);
  turnRight<<<Blocks, N>>>(in, a);
  turn<<<Blocks, N>>>(in, a);
  turnWithoutBarrier<<<Blocks, N>>>(in, a);
  someTurn<<<Blocks, N>>>(in, a);
  return cudaDeviceSynchronize();
}
