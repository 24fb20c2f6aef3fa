// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races on shared memory within a block, each kernel beside its correct twin.
// RUN: %heddle cc %s -o %t && %check --tool racecheck --print-level info %s %t
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int N = 128;

// A barrier is missing between the stores and the loads.
__global__ void reversed(const int *in, int *out) {
  __shared__ int tile[N];
  tile[threadIdx.x] = in[threadIdx.x]; // error: race-read-write
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
__global__ void reversedRight(const int *in, int *out) {
  __shared__ int tile[N];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

// The tile is reused too early.
__global__ void reused(const int *in, int *out) {
  __shared__ int tile[N];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = in[i * N + threadIdx.x]; // error: race-read-write
    __syncthreads();
    sum += tile[(threadIdx.x + 33) % N];
  }
  out[threadIdx.x] = sum;
}
__global__ void reusedRight(const int *in, int *out) {
  __shared__ int tile[N];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = in[i * N + threadIdx.x];
    __syncthreads();
    sum += tile[(threadIdx.x + 33) % N];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The last warp adds up without __syncwarp.
__global__ void lastWarp(const int *in, int *out) {
  __shared__ int sums[N];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int n = N / 2; n > 16; n /= 2) {
    if (t < n)
      sums[t] += sums[t + n];
    __syncthreads();
  }
  if (t < 16)
    for (int n = 16; n > 0; n /= 2)
      if (t < n)
        sums[t] += sums[t + n]; // error: race-read-write
  if (t == 0)
    *out = sums[0];
}
__global__ void lastWarpRight(const int *in, int *out) {
  __shared__ int sums[N];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int n = N / 2; n > 16; n /= 2) {
    if (t < n)
      sums[t] += sums[t + n];
    __syncthreads();
  }
  if (t < 32)
    for (int n = 16; n > 0; n /= 2) {
      if (t < n)
        sums[t] += sums[t + n];
      __syncwarp();
    }
  if (t == 0)
    *out = sums[0];
}

// Volatile, as it was written for the first GPUs.
__global__ void volatileSum(const int *in, int *out) {
  __shared__ int sums[64];
  volatile int *s = sums;
  int t = threadIdx.x;
  s[t] = in[t]; // error: race-read-write
  if (t < 16) {
    s[t] += s[t + 16]; // error: race-read-write
    s[t] += s[t + 8]; // error: race-read-write
  }
  if (t == 0)
    *out = s[0];
}
__global__ void volatileSumRight(const int *in, int *out) {
  __shared__ int sums[64];
  volatile int *s = sums;
  int t = threadIdx.x, x;
  s[t] = in[t];
  __syncwarp();
  if (t < 16) {
    x = s[t + 16];
    __syncwarp(0xffff);
    s[t] += x;
    __syncwarp(0xffff);
    x = s[t + 8];
    __syncwarp(0xffff);
    s[t] += x;
  }
  if (t == 0)
    *out = s[0];
}

// A collective lets lanes meet.
__global__ void ballot(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x, lane = t & 31;
  tile[t] = in[t]; // error: race-read-write
  out[t] = tile[t ^ 1] + lane;
}
__global__ void ballotRight(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  tile[t] = in[t];
  unsigned all = __ballot_sync(~0u, in[t] > 0);
  out[t] = tile[t ^ 1] + all;
}
// ... of one warp only.
__global__ void ballotOfOthers(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  tile[t] = in[t]; // error: race-read-write
  unsigned all = __ballot_sync(~0u, in[t] > 0);
  out[t] = tile[t ^ 32] + all;
}

// A half warp syncs, and reads what the other half wrote.
__global__ void halves(const int *in, int *out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t]; // error: race-read-write
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  out[t] = tile[31 - t];
}
__global__ void halvesRight(const int *in, int *out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  out[t] = tile[t ^ 15];
}

// Counting without atomic operations.
__global__ void histogram(const int *in, int *out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  bins[in[threadIdx.x] & 7]++; // error: race-read-write, race-write-write
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = bins[threadIdx.x];
}
__global__ void histogramRight(const int *in, int *out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = bins[threadIdx.x];
}
// ... and reading them too early.
__global__ void histogramEarly(const int *in, int *out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 7], 1); // error: race-read-write
  if (threadIdx.x < 8)
    out[threadIdx.x] = bins[threadIdx.x];
}
// ... and zeroing them too late.
__global__ void histogramLate(const int *in, int *out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0; // error: race-read-write
  atomicAdd(&bins[in[threadIdx.x] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = bins[threadIdx.x];
}

// All write one place.
__global__ void sameplace(const int *in, int *out) {
  __shared__ int last;
  last = in[threadIdx.x]; // error: race-write-write
  __syncthreads();
  out[threadIdx.x] = last;
}
// ... the same value: no error.
__global__ void sameValue(const int *in, int *out) {
  __shared__ int found;
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  if (in[threadIdx.x] >= 0)
    found = 1; // info: race-same-value
  __syncthreads();
  out[threadIdx.x] = found;
}

// Bytes of one word.
__global__ void bytes(const int *in, int *out) {
  __shared__ char tile[N + 4];
  tile[threadIdx.x] = (char)in[threadIdx.x]; // error: race-read-write
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void bytesRight(const int *in, int *out) {
  __shared__ char tile[N + 4];
  tile[threadIdx.x] = (char)in[threadIdx.x];
  tile[threadIdx.x]++;
  out[threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x ^ 1];
}

// Two halves of a block with barriers of their own.
__global__ void named(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  tile[t] = in[t]; // error: race-read-write
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  out[t] = tile[N - 1 - t];
}
__global__ void namedRight(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    tile[t] = in[t] + i;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    out[t] += tile[t ^ 63];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  }
}
// A second barrier is missing in the loop.
__global__ void namedLoop(const int *in, int *out) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    tile[t] = in[t] + i; // error: race-read-write
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    out[t] += tile[t ^ 63];
  }
}

// Two arms of a branch.
__global__ void arms(const int *in, int *out) {
  __shared__ int tile[32];
  if (threadIdx.x & 1)
    tile[threadIdx.x] = in[threadIdx.x]; // error: race-read-write
  else
    atomicAdd(&out[threadIdx.x], tile[threadIdx.x + 1]);
}
__global__ void armsRight(const int *in, int *out) {
  __shared__ int tile[32];
  if (threadIdx.x & 1)
    tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (!(threadIdx.x & 1))
    out[threadIdx.x] = tile[threadIdx.x + 1];
}

// Two buffers need one barrier in each round; one buffer needs two.
__global__ void buffers(const int *in, int *out) {
  __shared__ int tile[2][N];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 4; i++) {
    tile[i & 1][t] = in[t] + i;
    __syncthreads();
    sum += tile[i & 1][t ^ 35];
  }
  out[t] = sum;
}
__global__ void buffersWrong(const int *in, int *out) {
  __shared__ int tile[2][N];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 4; i++) {
    tile[i & 1][t] = in[t] + i; // error: race-read-write
    __syncthreads();
    sum += tile[(i + 1) & 1][t ^ 35];
  }
  out[t] = sum;
}

extern __shared__ int dynamic[];
__global__ void dynamicTile(const int *in, int *out) {
  dynamic[threadIdx.x] = in[threadIdx.x]; // error: race-read-write
  out[threadIdx.x] = dynamic[threadIdx.x ^ 64];
}
__global__ void dynamicTileRight(const int *in, int *out) {
  dynamic[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x ^ 64];
}

// Tiles of cooperative groups.
__global__ void tiles(const int *in, int *out) {
  __shared__ int tile[N];
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x;
  tile[t] = in[t]; // error: race-read-write
  group.sync();
  out[t] = tile[t ^ 8];
}
__global__ void tilesRight(const int *in, int *out) {
  __shared__ int tile[N];
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    tile[t] = in[t] + i;
    group.sync();
    out[t] += tile[t ^ 7];
    group.sync();
  }
  cg::this_thread_block().sync();
  out[t] += tile[t ^ 8];
}

// A flag in shared memory, with and without a fence.
__global__ void flag(const int *in, int *out) {
  __shared__ int data;
  __shared__ volatile int ready;
  int t = threadIdx.x;
  if (t == 0)
    ready = 0;
  __syncthreads();
  if (t == 0) {
    data = in[0]; // error: race-read-write
    ready = 1;
  }
  if (t == 64) {
    while (!ready)
      ;
    *out = data;
  }
}
__global__ void flagRight(const int *in, int *out) {
  __shared__ int data;
  __shared__ volatile int ready;
  int t = threadIdx.x;
  if (t == 0)
    ready = 0;
  __syncthreads();
  if (t == 0) {
    data = in[0];
    __threadfence_block();
    ready = 1;
  }
  if (t == 64) {
    while (!ready)
      ;
    __threadfence_block();
    *out = data;
  }
}

// Threads leave before the barrier; lanes leave before they meet.
__global__ void early(const int *in, int *out, int n) {
  __shared__ int tile[N];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t >= n)
    return;
  __syncthreads();
  int x = tile[t + 1];
  __syncwarp();
  out[t] = x;
}

int main() {
  int *in, *out, host[4 * N];
  for (int i = 0; i < 4 * N; i++)
    host[i] = i * 7 % 31;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  reversed<<<1, N>>>(in, out);
  reversedRight<<<1, N>>>(in, out);
  reused<<<1, N>>>(in, out);
  reusedRight<<<1, N>>>(in, out);
  lastWarp<<<1, N>>>(in, out);
  lastWarpRight<<<1, N>>>(in, out);
  volatileSum<<<1, 32>>>(in, out);
  volatileSumRight<<<1, 32>>>(in, out);
  ballot<<<1, N>>>(in, out);
  ballotRight<<<1, N>>>(in, out);
  ballotOfOthers<<<1, N>>>(in, out);
  halves<<<1, 32>>>(in, out);
  halvesRight<<<1, 32>>>(in, out);
  histogram<<<1, N>>>(in, out);
  histogramRight<<<1, N>>>(in, out);
  histogramEarly<<<1, N>>>(in, out);
  histogramLate<<<1, N>>>(in, out);
  sameplace<<<1, N>>>(in, out);
  sameValue<<<1, N>>>(in, out);
  bytes<<<1, N>>>(in, out);
  bytesRight<<<1, N>>>(in, out);
  named<<<1, N>>>(in, out);
  namedRight<<<1, N>>>(in, out);
  namedLoop<<<1, N>>>(in, out);
  arms<<<1, 32>>>(in, out);
  armsRight<<<1, 32>>>(in, out);
  buffers<<<1, N>>>(in, out);
  buffersWrong<<<1, N>>>(in, out);
  dynamicTile<<<1, N, N * sizeof(int)>>>(in, out);
  dynamicTileRight<<<1, N, N * sizeof(int)>>>(in, out);
  tiles<<<1, N>>>(in, out);
  tilesRight<<<1, N>>>(in, out);
  flag<<<1, N>>>(in, out);
  flagRight<<<1, N>>>(in, out);
  early<<<1, N>>>(in, out, N - 5);
  return cudaDeviceSynchronize();
}
