// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids that threads of a grid launch.
// RUN: %heddle cc -rdc=true -arch=sm_90 %s -o %t && %check --tool racecheck,memcheck %s %t
constexpr int N = 64;

template <int> __global__ void fill(int *a, int value) { a[threadIdx.x] = value; }
template <int> __global__ void add(int *a, int value) { a[threadIdx.x] += value; }

// Children of two blocks.
__global__ void one(int *a, int value) {
  a[threadIdx.x] = value; // error: race-write-write
}
__global__ void ofBlocks(int *a) { one<<<1, N>>>(a, blockIdx.x); }

// ... of two streams of a block.
__global__ void two(int *a, int value) {
  a[threadIdx.x] = value; // error: race-write-write
}
__global__ void ofStreams(int *a) {
  for (int i = 0; i < 2; ++i) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    two<<<1, N, 0, stream>>>(a, i);
    cudaStreamDestroy(stream);
  }
}
// ... that nobody waits for.
__global__ void three(int *a, int value) {
  a[threadIdx.x] = value; // error: race-write-write
}
__global__ void ofNobody(int *a) {
  for (int i = 0; i < 2; ++i)
    three<<<1, N, 0, cudaStreamFireAndForget>>>(a, i);
}

// One stream of a block, an event, the end of the grid, words of their own.
__global__ void ordered(int *a, int *b) {
  if (blockIdx.x == 0) {
    fill<0><<<1, N>>>(a, 1);
    add<0><<<1, N>>>(a, 1);
    add<1><<<1, N, 0, cudaStreamTailLaunch>>>(b, 1);
  } else {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    fill<1><<<1, N, 0, first>>>(b, 2);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    add<2><<<1, N, 0, second>>>(b, 3);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
  }
}

int main() {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));
  ofBlocks<<<2, 1>>>(a);
  ofStreams<<<1, 1>>>(a);
  ofNobody<<<1, 1>>>(a);
  ordered<<<2, 1>>>(a, b);
  fill<4><<<1, N>>>(a, 4);
  fill<4><<<1, N>>>(b, 4);
  return cudaDeviceSynchronize();
}
