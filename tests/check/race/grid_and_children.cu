// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid beside what its threads launch.
// RUN: %heddle cc -g -rdc=true -arch=sm_90 %s -o %t && %check --tool racecheck,memcheck %s %t | FileCheck %s
// CHECK: Race between write and read of global memory (4 bytes), in kernel void doubled<0>(int*)
// CHECK: the other read by thread ({{.*}}) in block (0,0,0) of kernel readsAtOnce(int*, int*)
// CHECK: one grid has launched the other, and nothing orders the two
constexpr int N = 64;

template <int> __global__ void doubled(int *a) {
  a[threadIdx.x] *= 2; // error: race-read-write
}
template <int> __global__ void right(int *a) { a[threadIdx.x] *= 2; }
template <int> __global__ void sum(const int *a, int *to) {
  int all = 0;
  for (int i = 0; i < N; ++i)
    all += a[i];
  *to = all;
}

// What a child makes is there when the whole grid is over, no sooner.
__global__ void readsAtOnce(int *a, int *to) {
  if (threadIdx.x == 0)
    doubled<0><<<1, N>>>(a);
  __syncthreads();
  to[threadIdx.x] = a[threadIdx.x];
}
// ... and a child that is the last work sees all of the grid.
__global__ void readsBehind(int *a, int *b, int *to) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    sum<0><<<1, 1, 0, cudaStreamTailLaunch>>>(a, to);
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  b[blockIdx.x * blockDim.x + threadIdx.x] = 2;
}

// The thread that launches has not met the others.
__global__ void withoutBarrier(int *a, int *to) {
  a[threadIdx.x] = threadIdx.x; // error: race-read-write
  if (threadIdx.x == 0)
    sum<1><<<1, 1>>>(a, to);
}
__global__ void behindBarrier(int *a, int *to) {
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    sum<2><<<1, 1>>>(a, to);
}
__global__ void ofOneWarp(int *a, int *to) {
  for (int i = threadIdx.x; i < N; i += 32)
    a[i] = i;
  __syncwarp();
  if (threadIdx.x == 0)
    sum<3><<<1, 1>>>(a, to);
}
// Other blocks may not have come that far.
__global__ void ofBlocks(int *a, int *to) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; // error: race-read-write
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    sum<4><<<1, 1>>>(a, to);
}
__global__ void lastOfBlocks(int *a, int *to, unsigned *done) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(done, 1) == gridDim.x - 1) {
    __threadfence();
    sum<5><<<1, 1>>>(a, to);
  }
}

// A thread writes what its child reads: before, or too late.
__global__ void writesBefore(int *a, int *to) {
  for (int i = 0; i < N; ++i)
    a[i] = i;
  sum<6><<<1, 1>>>(a, to);
}
__global__ void writesLater(int *a, int *to) {
  for (int i = 0; i < 2; ++i) {
    a[i] = i; // error: race-read-write
    sum<7><<<1, 1>>>(a, to);
  }
}
// A grandchild, and parts of an array.
__global__ void halves(int *a, int n) {
  a[n - 1] += 1;
  if (n > 1)
    halves<<<1, 1>>>(a, n / 2);
  if (n > 2)
    halves<<<1, 1, 0, cudaStreamFireAndForget>>>(a + n / 2, (n - 1) / 2);
}
__global__ void grandchild(int *a) {
  a[0] = 1;
}
__global__ void child(int *a) { grandchild<<<1, 1>>>(a); }
__global__ void parent(int *a) {
  child<<<1, 1>>>(a);
  a[0] = 2; // error: race-write-write
}

int main() {
  int *a, *b, *to;
  unsigned *done;
  cudaMalloc(&a, 2 * N * sizeof(int));
  cudaMalloc(&b, 2 * N * sizeof(int));
  cudaMalloc(&to, N * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(a, 0, 2 * N * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  readsAtOnce<<<1, N>>>(a, to);
  readsBehind<<<2, N>>>(a, b, to);
  withoutBarrier<<<1, N>>>(a, to);
  behindBarrier<<<1, N>>>(a, to);
  ofOneWarp<<<1, 32>>>(a, to);
  ofBlocks<<<2, N / 2>>>(a, to);
  lastOfBlocks<<<2, N / 2>>>(a, to, done);
  writesBefore<<<1, 1>>>(a, to);
  writesLater<<<1, 1>>>(a, to);
  halves<<<1, 1>>>(a, N);
  parent<<<1, 1>>>(a);
  right<0><<<1, N>>>(a);
  return cudaDeviceSynchronize();
}
