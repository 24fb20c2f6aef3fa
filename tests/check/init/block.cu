// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared and local memory that nothing has written, and beside each the correct twin.
// RUN: %heddle cc -g %s -o %t && %check --tool initcheck %s %t
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void shared(int *out) {
  __shared__ int tile[64];
  if (threadIdx.x < 32)
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void sharedWritten(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x] + 1;
}
/// What an earlier block of the same processor has written does not count.
__global__ void otherBlock(int *out) {
  __shared__ int tile[64];
  if (blockIdx.x == 0)
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void noBarrier(int *out) {
  __shared__ int tile[64];
  if (blockIdx.x == 0)
    tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void dynamic(int *out) {
  extern __shared__ int tile[];
  tile[2 * threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[2 * threadIdx.x] + 1;
  if (threadIdx.x < 8)
    out[threadIdx.x] = tile[2 * threadIdx.x + 1] + 1; // error: uninitialized-read
}
/// The launch's dynamic memory is what the threads write before the barrier, or more.
__global__ void dynamicSum(const int *in, int *out) {
  extern __shared__ int part[];
  unsigned t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (2 * step * t + step < blockDim.x)
      part[2 * step * t] += part[2 * step * t + step];
    __syncthreads();
  }
  out[t] = part[0];
}
__global__ void dynamicSumOfMore(const int *in, int *out) {
  extern __shared__ int part[];
  unsigned t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (unsigned step = blockDim.x; step > 0; step /= 2) {
    if (t < step)
      part[t] += part[t + step]; // error: uninitialized-read
    __syncthreads();
  }
  if (t == 0)
    out[t] = part[0];
}
/// Two arrays in one, of which the second begins where the launch says.
__global__ void dynamicParts(const int *in, int *out, int n) {
  extern __shared__ int part[];
  int *second = part + n;
  unsigned t = threadIdx.x;
  part[t] = in[t];
  if (t < 32)
    second[t] = in[t];
  __syncthreads();
  out[t] = part[63 - t] + second[63 - t]; // error: uninitialized-read
}
__global__ void dynamicPartsWritten(const int *in, int *out, int n) {
  extern __shared__ int part[];
  int *second = part + n;
  unsigned t = threadIdx.x;
  part[t] = in[t];
  second[t] = in[t];
  __syncthreads();
  out[t] = part[63 - t] + second[63 - t];
}
/// A tile with a border, of which the border stays as it is.
__global__ void border(const float *in, float *out) {
  __shared__ float tile[10][10];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y + 1][x + 1] = in[8 * y + x];
  __syncthreads();
  out[8 * y + x] = tile[y + 1][x] + tile[y + 1][x + 2]; // error: uninitialized-read
}
__global__ void borderWritten(const float *in, float *out) {
  __shared__ float tile[10][10];
  int x = threadIdx.x, y = threadIdx.y;
  for (int i = 8 * y + x; i < 100; i += 64)
    tile[i / 10][i % 10] = 0;
  __syncthreads();
  tile[y + 1][x + 1] = in[8 * y + x];
  __syncthreads();
  out[8 * y + x] = tile[y + 1][x] + tile[y + 1][x + 2];
}
__global__ void sharedSum(int *out) {
  __shared__ int sum;
  atomicAdd(&sum, 1); // error: uninitialized-read
  __syncthreads();
  out[threadIdx.x] = sum;
}
__global__ void sharedSumSet(int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}
/// A reduction over more than what was written.
__global__ void reduce(const int *in, int *out, int n) {
  __shared__ int part[64];
  int t = threadIdx.x;
  if (t < n)
    part[t] = in[t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d]; // error: uninitialized-read
    __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}
__global__ void reduceZeros(const int *in, int *out, int n) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}
__device__ void put(int *p, int value) { *p = value; }
__device__ __noinline__ void putFar(int *p, int value) { *p = value; }
__device__ __noinline__ int takeFar(const int *p) { return *p + 1; }
__global__ void throughFunctions(int *out) {
  __shared__ int tile[64];
  putFar(&tile[threadIdx.x], 3);
  __syncthreads();
  out[threadIdx.x] = takeFar(&tile[threadIdx.x ^ 1]) + tile[threadIdx.x];
}
__global__ void throughPointer(int *out, int n) {
  __shared__ int tile[64];
  int *p = n > 3 ? tile : out;
  put(p + threadIdx.x, 1);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + 1;
}
__global__ void copiedInShared(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (tile[threadIdx.x ^ 1]) // error: uninitialized-read
    out[threadIdx.x] = 1;
}
__global__ void early(int *out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0 && n)
    total = n;
  int mine = n ? total : 0; // may be read in front of the branch
  out[threadIdx.x] = mine;
}
__global__ void lastThread(int *out, int n) {
  __shared__ int count;
  int mine = 0;
  if (threadIdx.x == 0) {
    count = n;
    mine = count;
  }
  out[threadIdx.x] = mine + 1;
}

__global__ void local(int *out, int n) {
  int a[16];
  for (int i = 0; i < n; ++i)
    a[i * 3 % 16] = i;
  out[threadIdx.x] = a[(n * 5 + threadIdx.x) % 16] + 1; // error: uninitialized-read
}
__global__ void localWritten(int *out, int n) {
  int a[16];
  for (int i = 0; i < 16; ++i)
    a[i] = i;
  a[n % 16] = 3;
  out[threadIdx.x] = a[(n * 5 + threadIdx.x) % 16] + 1;
}
/// A variable in a loop is new each time.
__global__ void localInLoop(int *out, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    int a[8];
    if (k == 0)
      for (int i = 0; i < 8; ++i)
        a[i] = i;
    a[(k + n) % 8] = k;
    sum += a[(k * n + n) % 8]; // error: uninitialized-read
  }
  out[threadIdx.x] = sum;
}
struct Pair {
  int first, second;
};
__device__ __noinline__ void fillPair(Pair *p) { p->first = 1, p->second = 2; }
__global__ void localByFunction(int *out) {
  Pair p[4];
  for (int i = 0; i < 4; ++i)
    fillPair(&p[i]);
  out[threadIdx.x] = p[threadIdx.x % 4].first + p[threadIdx.x % 3].second;
}

int main() {
  int *in, *out;
  float *floats;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMalloc(&floats, 4096);
  int *fresh;
  cudaMalloc(&fresh, 4096);
  cudaMemset(in, 1, 4096);
  cudaMemset(floats, 0, 4096);
  shared<<<1, 64>>>(out);
  sharedWritten<<<1, 64>>>(out);
  otherBlock<<<64, 64>>>(out);
  noBarrier<<<64, 64>>>(out);
  dynamic<<<1, 64, 512>>>(out);
  dynamicSum<<<1, 64, 256>>>(in, out);
  dynamicSumOfMore<<<1, 64, 512>>>(in, out);
  dynamicParts<<<1, 64, 512>>>(in, out, 64);
  dynamicPartsWritten<<<1, 64, 512>>>(in, out, 64);
  border<<<1, dim3(8, 8)>>>(floats, floats + 64);
  borderWritten<<<1, dim3(8, 8)>>>(floats, floats + 64);
  sharedSum<<<1, 64>>>(out);
  sharedSumSet<<<1, 64>>>(out);
  reduce<<<1, 64>>>(in, out, 50);
  reduceZeros<<<1, 64>>>(in, out, 50);
  throughFunctions<<<1, 64>>>(out);
  throughPointer<<<1, 64>>>(out, 4);
  copiedInShared<<<1, 64>>>(fresh, out);
  early<<<1, 64>>>(out, 0);
  lastThread<<<1, 64>>>(out, 5);
  local<<<1, 64>>>(out, 3);
  localWritten<<<1, 64>>>(out, 3);
  localInLoop<<<1, 64>>>(out, 3);
  localByFunction<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}
