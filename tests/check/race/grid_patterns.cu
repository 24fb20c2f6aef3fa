// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes wrong in global memory, and behind each the same done right.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck %s %t
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int N = 64, Blocks = 4, All = N * Blocks;
#define I int(blockIdx.x * blockDim.x + threadIdx.x)

// In place, backwards.
__global__ void backwards(const int *in, int *a) {
  int other = a[All - 1 - I];
  a[I] = other; // error: race-read-write
}
__global__ void backwardsRight(const int *in, int *a) { a[I] = in[All - 1 - I]; }

// Two elements each, one of them the neighbour's.
__global__ void pairs(const int *in, int *a) {
  a[I] = in[I];
  a[I + 1] = in[I] + 1; // error: race-write-write
}
__global__ void pairsRight(const int *in, int *a) {
  if (I < All / 2) {
    a[2 * I] = in[I];
    a[2 * I + 1] = in[I] + 1;
  }
}

// Scattered, where two go to one place.
__global__ void scatter(const int *in, int *a) {
  a[I * 5 % 128] = in[I]; // error: race-write-write
}
__global__ void scatterRight(const int *in, int *a) { a[I * 5 % All] = in[I]; }

// Numbers drawn without an atomic operation.
__global__ void numbers(const int *in, int *a) {
  int at = a[All];
  a[All] = at + 1; // error: race-read-write, race-write-write
  a[at % 8] = 7;
}
__global__ void numbersRight(const int *in, int *a) {
  int at = atomicAdd(&a[All], 1);
  a[at % All] = 7;
}

// A sum.
__global__ void total(const int *in, int *a) {
  a[0] += in[I]; // error: race-read-write, race-write-write
}
__global__ void totalRight(const int *in, int *a) { atomicAdd(a, in[I]); }

// ... that one thread clears while others add.
__global__ void cleared(const int *in, int *a) {
  if (I == 0)
    a[0] = 0; // error: race-read-write
  atomicAdd(a, in[I]);
}
__global__ void clearedRight(const int *in, int *a) {
  if (I == 0)
    a[1] = 0;
  atomicAdd(a, in[I]);
}

// The largest.
__global__ void largest(const int *in, int *a) {
  if (in[I] > a[0])
    a[0] = in[I]; // error: race-read-write, race-write-write
}
__global__ void largestRight(const int *in, int *a) { atomicMax(a, in[I]); }

// A loop whose step forgets the other blocks.
__global__ void steps(const int *in, int *a) {
  for (int i = I; i < All; i += blockDim.x)
    a[i] += in[i]; // error: race-read-write, race-write-write
}
__global__ void stepsRight(const int *in, int *a) {
  for (int i = I; i < All; i += blockDim.x * gridDim.x)
    a[i] += in[i];
}

// Windows that overlap by one.
__global__ void windows(const int *in, int *a) {
  int first = I * 4 % All;
  if (I < All / 4)
    for (int i = 0; i < 5 && first + i < All; ++i)
      a[first + i] = I; // error: race-write-write
}
__global__ void windowsRight(const int *in, int *a) {
  int first = I * 4 % All;
  if (I < All / 4)
    for (int i = 0; i < 4; ++i)
      a[first + i] = I;
}

// Bytes: the neighbour's, also where blocks meet within a word.
__global__ void bytes(const int *in, int *a) {
  auto *b = reinterpret_cast<unsigned char *>(a);
  b[I + 2] = static_cast<unsigned char>(in[I]); // error: race-read-write
  a[All + 1 + I % 2] = 1;
  if (b[I] == 77)
    atomicAdd(&a[All], 1);
}
__global__ void bytesRight(const int *in, int *a) {
  auto *b = reinterpret_cast<unsigned char *>(a);
  b[I + 2] = static_cast<unsigned char>(in[I]);
  if (b[I + 2] == 77)
    atomicAdd(&a[All], 1);
}

// Two blocks one place, a place for each block.
__global__ void places(const int *in, int *a) {
  if (threadIdx.x == 0)
    a[blockIdx.x / 2] = in[I] + blockIdx.x; // error: race-write-write
}
__global__ void placesRight(const int *in, int *a) {
  if (threadIdx.x == 0)
    a[blockIdx.x] = in[I] + blockIdx.x;
}

// A product whose sums several blocks share.
__global__ void product(const int *in, int *a) {
  int sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += in[(blockIdx.x * 8 + k) % All] * in[threadIdx.x];
  a[threadIdx.x] += sum; // error: race-read-write, race-write-write
}
__global__ void productRight(const int *in, int *a) {
  int sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += in[(blockIdx.x * 8 + k) % All] * in[threadIdx.x];
  atomicAdd(&a[threadIdx.x], sum);
}

// A variable of the device.
__device__ int counter, counterRight;
__global__ void variable(const int *in, int *a) {
  if (threadIdx.x == 0)
    counter = counter + 1; // error: race-read-write, race-write-write
}
__global__ void variableRight(const int *in, int *a) {
  if (threadIdx.x == 0)
    atomicAdd(&counterRight, 1);
}

// What another block has written, after a barrier of the own one.
__global__ void ownBarrier(const int *in, int *a) {
  a[I] = in[I]; // error: race-read-write
  __threadfence();
  __syncthreads();
  a[All + I] = a[(I + N) % All];
}
__global__ void ownBarrierRight(const int *in, int *a) {
  a[I] = in[I];
  __syncthreads();
  a[All + I] = a[I / N * N + (I + 1) % N];
}

// Trees of nodes.
__global__ void parents(const int *in, int *a) {
  int node = in[I] % 16;
  if (a[node] < I)
    a[node] = I; // error: race-read-write, race-write-write
}
__global__ void parentsRight(const int *in, int *a) { atomicMax(&a[in[I] % 16], I); }

// Steps of the whole grid.
__global__ void rounds(const int *in, int *a) {
  for (int i = 0; i < 3; ++i) {
    int next = a[(I + 1) % All];
    cg::this_grid().sync();
    a[I] = next + i; // error: race-read-write
  }
}
__global__ void roundsRight(const int *in, int *a) {
  for (int i = 0; i < 3; ++i) {
    int next = a[(I + 1) % All];
    cg::this_grid().sync();
    a[I] = next + i;
    cg::this_grid().sync();
  }
}

// Blocks of a cluster.
__global__ void __cluster_dims__(2) neighbours(const int *in, int *a) {
  a[I] = in[I]; // error: race-read-write
  __syncthreads();
  a[All + I] = a[I ^ N];
}
__global__ void __cluster_dims__(2) neighboursRight(const int *in, int *a) {
  a[I] = in[I];
  cg::this_cluster().sync();
  a[All + I] = a[I ^ N];
}
__global__ void __cluster_dims__(2) otherCluster(const int *in, int *a) {
  a[I] = in[I]; // error: race-read-write
  cg::this_cluster().sync();
  a[All + I] = a[I ^ 2 * N];
}

// Words that are read atomically and written plainly, or both atomically.
__global__ void plainStore(const int *in, int *a) {
  a[I % 8] = in[I]; // error: race-write-write, race-read-write
  atomicExch(&a[(I + 1) % 8], 1);
}
__global__ void plainStoreRight(const int *in, int *a) {
  atomicExch(&a[I % 8], in[I]);
  atomicExch(&a[(I + 1) % 8], 1);
}

// Some lanes of an access in shared memory, some in global memory.
__global__ void mixed(const int *in, int *a) {
  __shared__ int own[N];
  own[threadIdx.x] = in[I];
  __syncthreads();
  int at = I * 7 % All, sum = 0;
  for (int k = 0; k < 8; ++k, at = (at + 13) % All)
    sum += at / N == int(blockIdx.x) ? own[at % N] : in[at];
  a[I] = sum;
}

// Rows of a matrix.
__global__ void rowSums(const int *in, int *a) {
  int row = I / 16;
  a[All + row] += in[I]; // error: race-read-write, race-write-write
}
__global__ void rowSumsRight(const int *in, int *a) {
  int sum = in[I];
  for (int k = 8; k; k /= 2)
    sum += __shfl_xor_sync(~0u, sum, k);
  if (I % 16 == 0)
    a[All + I / 16] = sum;
}

int main() {
  int *in, *a, host[All];
  for (int i = 0; i < All; ++i)
    host[i] = i * 37 % 101;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&a, 2 * sizeof(host) + 64);
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  using Kernel = void (*)(const int *, int *);
  for (Kernel kernel :
       {backwards, backwardsRight, pairs, pairsRight, scatter, scatterRight, numbers, numbersRight, total, totalRight,
        cleared, clearedRight, largest, largestRight, steps, stepsRight, windows, windowsRight, bytes, bytesRight,
        places, placesRight, product, productRight, variable, variableRight, ownBarrier, ownBarrierRight, parents,
        parentsRight, neighbours, neighboursRight, otherCluster, plainStore, plainStoreRight, mixed, rowSums, rowSumsRight}) {
    cudaMemset(a, 0, 2 * sizeof(host));
    kernel<<<Blocks, N>>>(in, a);
  }
  void *arguments[] = {&in, &a};
  cudaLaunchCooperativeKernel(rounds, Blocks, N, arguments);
  cudaLaunchCooperativeKernel(roundsRight, Blocks, N, arguments);
  return cudaDeviceSynchronize();
}
