// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes wrong in shared memory, and behind each the same done right.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck %s %t
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

constexpr int N = 128;
#define T int(threadIdx.x)

// Neighbours in place.
__global__ void smooth(const int *in, int *out) {
  __shared__ int s[N + 2];
  s[T + 1] = in[T];
  __syncthreads();
  s[T + 1] = s[T] + s[T + 2]; // error: race-read-write
  __syncthreads();
  out[T] = s[T + 1];
}
__global__ void smoothRight(const int *in, int *out) {
  __shared__ int s[N + 2];
  s[T + 1] = in[T];
  __syncthreads();
  int sum = s[T] + s[T + 2];
  __syncthreads();
  s[T + 1] = sum;
  __syncthreads();
  out[T] = s[T + 1];
}

// A scan with one barrier in each step.
__global__ void scan(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  for (int k = 1; k < N; k *= 2) {
    __syncthreads();
    if (T >= k)
      s[T] += s[T - k]; // error: race-read-write
  }
  out[T] = s[T];
}
__global__ void scanRight(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  for (int k = 1; k < N; k *= 2) {
    __syncthreads();
    int left = T >= k ? s[T - k] : 0;
    __syncthreads();
    s[T] += left;
  }
  out[T] = s[T];
}

// A tree whose steps nothing parts.
__global__ void tree(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  __syncthreads();
  for (int k = N / 2; k; k /= 2)
    if (T < k)
      s[T] += s[T + k]; // error: race-read-write
  if (T == 0)
    out[0] = s[0];
}
__global__ void treeRight(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  for (int k = N / 2; k; k /= 2) {
    __syncthreads();
    if (T < k)
      s[T] += s[T + k];
  }
  if (T == 0)
    out[0] = s[0];
}

// The last steps within a warp.
__global__ void lastSteps(const int *in, int *out) {
  __shared__ int s[64];
  if (T < 64)
    s[T] = in[T];
  __syncthreads();
  if (T < 32)
    for (int k = 32; k; k /= 2)
      s[T] += s[T + k]; // error: race-read-write
  if (T == 0)
    out[0] = s[0];
}
__global__ void lastStepsRight(const int *in, int *out) {
  __shared__ int s[64];
  if (T < 64)
    s[T] = in[T];
  __syncthreads();
  if (T < 32)
    for (int k = 32; k; k /= 2) {
      int other = s[T + k];
      __syncwarp();
      s[T] += other;
      __syncwarp();
    }
  if (T == 0)
    out[0] = s[0];
}

// One lane tells its warp.
__global__ void broadcast(const int *in, int *out) {
  __shared__ int s[N / 32];
  if (T % 32 == 5)
    s[T / 32] = in[T]; // error: race-read-write
  out[T] = s[T / 32];
}
__global__ void broadcastRight(const int *in, int *out) {
  __shared__ int s[N / 32];
  if (T % 32 == 5)
    s[T / 32] = in[T];
  __syncwarp();
  out[T] = s[T / 32];
}

// A mask of half of the lanes.
__global__ void halfMask(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T]; // error: race-read-write
  __syncwarp(T % 32 < 16 ? 0x0000ffff : 0xffff0000);
  out[T] = s[T ^ 16];
}
__global__ void halfMaskRight(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  __syncwarp(T % 32 < 16 ? 0x0000ffff : 0xffff0000);
  out[T] = s[T ^ 15];
}

// Bytes and halves of words.
__global__ void bytesOfWords(const int *in, int *out) {
  __shared__ unsigned char s[N];
  s[T] = static_cast<unsigned char>(in[T]); // error: race-read-write
  out[T] = s[(T + 1) % N];
}
__global__ void bytesOfWordsRight(const int *in, int *out) {
  __shared__ unsigned char s[N];
  s[T] = static_cast<unsigned char>(in[T]);
  out[T] = s[T];
}
__global__ void halvesOfWords(const int *in, int *out) {
  __shared__ short s[N];
  s[T ^ 1] = static_cast<short>(in[T]); // error: race-read-write
  out[T] = s[T];
}
__global__ void halvesOfWordsRight(const int *in, int *out) {
  __shared__ short s[N];
  s[T ^ 1] = static_cast<short>(in[T]);
  __syncwarp();
  out[T] = s[T];
}

// Fields.
struct Pair {
  int a, b;
};
__global__ void fields(const int *in, int *out) {
  __shared__ Pair s[N];
  s[T].a = in[T]; // error: race-read-write
  s[T].b = 1;
  out[T] = s[(T + 40) % N].a;
}
__global__ void fieldsRight(const int *in, int *out) {
  __shared__ Pair s[N];
  s[T].b = 7;
  __syncthreads();
  s[T].a = in[T];
  out[T] = s[(T + 40) % N].b;
}

// Eight and sixteen bytes.
__global__ void doubles(const int *in, int *out) {
  __shared__ double s[N];
  s[T] = in[T]; // error: race-read-write
  out[T] = int(s[(T + 33) % N]);
}
__global__ void doublesRight(const int *in, int *out) {
  __shared__ double s[N];
  s[T] = in[T];
  __syncthreads();
  out[T] = int(s[(T + 33) % N]);
}
__global__ void fours(const int *in, int *out) {
  __shared__ float4 s[N];
  s[T] = make_float4(in[T], 1, 2, 3); // error: race-read-write
  out[T] = int(reinterpret_cast<float *>(s)[(4 * T + 4 * 32 + 1) % (4 * N)]);
}
__global__ void foursRight(const int *in, int *out) {
  __shared__ float4 s[N];
  s[T] = make_float4(in[T], 1, 2, 3);
  out[T] = int(reinterpret_cast<float *>(s)[4 * T + 1]);
}

// The largest, compared and set.
__global__ void largest(const int *in, int *out) {
  __shared__ int most;
  if (T == 0)
    most = 0;
  __syncthreads();
  if (in[T] > most)
    most = in[T]; // error: race-write-write, race-read-write
  __syncthreads();
  out[T] = most;
}
__global__ void largestRight(const int *in, int *out) {
  __shared__ int most;
  if (T == 0)
    most = 0;
  __syncthreads();
  atomicMax(&most, in[T]);
  __syncthreads();
  out[T] = most;
}

// A list that is read while it grows.
__global__ void list(const int *in, int *out) {
  __shared__ int items[N], count;
  if (T == 0)
    count = 0;
  __syncthreads();
  if (in[T] > 10)
    items[atomicAdd(&count, 1)] = in[T]; // error: race-read-write
  out[T] = T < count ? items[T] : 0;
}
__global__ void listRight(const int *in, int *out) {
  __shared__ int items[N], count;
  if (T == 0)
    count = 0;
  __syncthreads();
  if (in[T] > 10)
    items[atomicAdd(&count, 1)] = in[T];
  __syncthreads();
  out[T] = T < count ? items[T] : 0;
}

// A sort's exchanges.
__global__ void sortSteps(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  __syncthreads();
  for (int k = N / 2; k; k /= 2) {
    int other = T ^ k;
    if (other > T && s[T] > s[other]) {
      int mine = s[T];
      s[T] = s[other]; // error: race-read-write
      s[other] = mine; // error: race-read-write, race-write-write
    }
  }
  __syncthreads();
  out[T] = s[T];
}
__global__ void sortStepsRight(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  for (int k = N / 2; k; k /= 2) {
    __syncthreads();
    int other = T ^ k;
    if (other > T && s[T] > s[other]) {
      int mine = s[T];
      s[T] = s[other];
      s[other] = mine;
    }
  }
  __syncthreads();
  out[T] = s[T];
}

// Sums of columns.
__global__ void columns(const int *in, int *out) {
  __shared__ int sums[16];
  int x = T % 16, y = T / 16;
  if (y == 0)
    sums[x] = 0;
  __syncthreads();
  sums[x] += in[T]; // error: race-write-write, race-read-write
  __syncthreads();
  out[T] = sums[x];
}
__global__ void columnsRight(const int *in, int *out) {
  __shared__ int sums[16];
  int x = T % 16, y = T / 16;
  if (y == 0)
    sums[x] = 0;
  __syncthreads();
  atomicAdd(&sums[x], in[T]);
  __syncthreads();
  out[T] = sums[x];
}

// Tiles of threads that stay among themselves, or not.
__global__ void tilesOfThreads(const int *in, int *out) {
  __shared__ int s[N];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[T] = in[T]; // error: race-read-write
  tile.sync();
  out[T] = s[T ^ 16];
}
__global__ void tilesOfThreadsRight(const int *in, int *out) {
  __shared__ int s[N];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[T] = in[T];
  tile.sync();
  out[T] = s[T ^ 15];
}
__global__ void groupOfBlock(const int *in, int *out) {
  __shared__ int s[N];
  s[T] = in[T];
  cg::this_thread_block().sync();
  out[T] = s[N - 1 - T];
}

// A ring of two places for what needs three.
__global__ void ring(const int *in, int *out) {
  __shared__ int s[2][N];
  int sum = 0;
  s[0][T] = in[T]; // error: race-read-write
  for (int i = 0; i < 6; ++i) {
    s[(i + 1) % 2][T] = in[T] + i; // error: race-read-write
    sum += s[i % 2][N - 1 - T];
    if (i % 2)
      __syncthreads();
  }
  out[T] = sum;
}
__global__ void ringRight(const int *in, int *out) {
  __shared__ int s[3][N];
  int sum = 0;
  s[0][T] = in[T];
  for (int i = 0; i < 6; ++i) {
    s[(i + 1) % 3][T] = in[T] + i;
    __syncthreads();
    sum += s[i % 3][N - 1 - T];
  }
  out[T] = sum;
}

// A barrier for some turns only.
__global__ void someTurns(const int *in, int *out) {
  __shared__ int s[N];
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    s[T] = in[T] + i; // error: race-read-write
    __syncthreads();
    sum += s[(T + 64) % N];
    if (i < 2)
      __syncthreads();
  }
  out[T] = sum;
}
__global__ void someTurnsRight(const int *in, int *out) {
  __shared__ int s[N];
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    s[T] = in[T] + i;
    __syncthreads();
    sum += s[(T + 64) % N];
    __syncthreads();
  }
  out[T] = sum;
}

// What one thread prepares.
__global__ void prepared(const int *in, int *out) {
  __shared__ int table[8];
  if (T == 0)
    for (int i = 0; i < 8; ++i)
      table[i] = in[i]; // error: race-read-write
  out[T] = table[T % 8];
}
__global__ void preparedRight(const int *in, int *out) {
  __shared__ int table[8];
  if (T == 0)
    for (int i = 0; i < 8; ++i)
      table[i] = in[i];
  __syncthreads();
  out[T] = table[T % 8];
}

int main() {
  int *in, *out, host[N];
  for (int i = 0; i < N; ++i)
    host[i] = i * 37 % 101;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  using Kernel = void (*)(const int *, int *);
  for (Kernel kernel :
       {smooth, smoothRight, scan, scanRight, tree, treeRight, lastSteps, lastStepsRight, broadcast, broadcastRight,
        halfMask, halfMaskRight, bytesOfWords, bytesOfWordsRight, halvesOfWords, halvesOfWordsRight, fields,
        fieldsRight, doubles, doublesRight, fours, foursRight, largest, largestRight, list, listRight, sortSteps,
        sortStepsRight, columns, columnsRight, tilesOfThreads, tilesOfThreadsRight, groupOfBlock, ring, ringRight,
        someTurns, someTurnsRight, prepared, preparedRight})
    kernel<<<1, N>>>(in, out);
  return cudaDeviceSynchronize();
}
