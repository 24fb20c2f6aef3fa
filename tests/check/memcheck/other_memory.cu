// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Invalid shared write of 4 bytes, in kernel sharedAfter(int)
// CHECK: behind 'sharedAfter(int)::a' of 128 bytes
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared, local, constant and parameter memory and variables of the device, each error beside its correct twin.
#include <cuda_pipeline.h>

__device__ int sink[64];
__device__ int neighbourA[32], neighbourB[32];
__constant__ int table[32];
__device__ int *throughPointer;

// Shared memory: static.
__global__ void sharedAfter(int n) {
  __shared__ int a[32], b[32];
  b[threadIdx.x] = 7;
  a[threadIdx.x + n] = 1; // error: out-of-bounds-access
  __syncthreads();
  sink[threadIdx.x] = a[threadIdx.x] + b[31 - threadIdx.x];
}
__global__ void sharedInside(int n) {
  __shared__ int a[32], b[32];
  b[threadIdx.x] = 7;
  a[(threadIdx.x + n) % 32] = 1;
  __syncthreads();
  sink[threadIdx.x] = a[threadIdx.x] + b[31 - threadIdx.x];
}
__global__ void sharedBefore() {
  __shared__ float tile[8][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = 1;
  __syncthreads();
  int y = threadIdx.x / 8, x = threadIdx.x % 8;
  sink[threadIdx.x] = int(tile[y - 1][x]); // error: out-of-bounds-access
}
__global__ void sharedHalo() {
  __shared__ float tile[9][8];
  tile[threadIdx.x / 8 + 1][threadIdx.x % 8] = 1;
  if (threadIdx.x < 8)
    tile[0][threadIdx.x] = 0;
  __syncthreads();
  int y = threadIdx.x / 8, x = threadIdx.x % 8;
  sink[threadIdx.x] = int(tile[y][x]);
}
__global__ void reduction() {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    s[t] += s[t + d]; // error: out-of-bounds-access
    __syncthreads();
  }
  sink[t] = s[0];
}
__global__ void reductionGuarded() {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  sink[t] = s[0];
}
__global__ void sharedAtomic(int n) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % n], 1); // error: out-of-bounds-access
  __syncthreads();
  sink[threadIdx.x] = bins[threadIdx.x % 16];
}
__global__ void sharedMisaligned() {
  __shared__ __align__(16) char bytes[64];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  const char *at = bytes + threadIdx.x;
  sink[threadIdx.x] = *(const int *)at; // error: misaligned-access
}
__global__ void sharedAligned() {
  __shared__ __align__(16) char bytes[64];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  const char *at = bytes + threadIdx.x / 4 * 4;
  sink[threadIdx.x] = *(const int *)at;
}

// Dynamic: one array, and two that the program lays out.
__global__ void dynamicAfter(int n) {
  extern __shared__ int d[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    d[i] = i; // error: out-of-bounds-access
  __syncthreads();
  sink[threadIdx.x] = d[threadIdx.x];
}
__global__ void dynamicInside(int n) {
  extern __shared__ int d[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    d[i] = i;
  __syncthreads();
  sink[threadIdx.x] = d[threadIdx.x];
}
__global__ void forgotten() { // no dynamic shared memory was asked for
  extern __shared__ int d[];
  d[threadIdx.x] = 1; // error: out-of-bounds-access
}
__global__ void twoParts(int n) {
  extern __shared__ int d[];
  double *second = (double *)(d + n);
  d[threadIdx.x] = 1;
  second[threadIdx.x] = 2; // error: out-of-bounds-access
}
__global__ void twoPartsInside(int n) {
  extern __shared__ int d[];
  double *second = (double *)(d + n);
  d[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
}
__global__ void twoPartsOdd(int n) {
  extern __shared__ int d[];
  double *second = (double *)(d + n);
  second[threadIdx.x] = 2; // error: misaligned-access
}

// Local variables.
__global__ void localAfter(int n) {
  int a[8];
  for (int i = 0; i <= n; ++i)
    a[i] = i * threadIdx.x; // error: out-of-bounds-access
  for (int i = 0; i < n; ++i)
    sink[threadIdx.x] += a[i];
}
__global__ void localInside(int n) {
  int a[8];
  for (int i = 0; i < n; ++i)
    a[i] = i * threadIdx.x;
  for (int i = 0; i < n; ++i)
    sink[threadIdx.x] += a[i];
}
__global__ void localByIndex(const int *index) {
  int a[4] = {1, 2, 3, int(threadIdx.x)};
  sink[threadIdx.x] = a[index[threadIdx.x]]; // error: out-of-bounds-access
}
__global__ void localByIndexInside(const int *index) {
  int a[4] = {1, 2, 3, int(threadIdx.x)};
  sink[threadIdx.x] = a[index[threadIdx.x] & 3];
}
struct Two {
  int first[4];
  int second[4];
};
__global__ void parameter(Two two, const int *index) {
  sink[threadIdx.x] = two.second[index[threadIdx.x]]; // error: out-of-bounds-access
}
__global__ void parameterInside(Two two, const int *index) {
  sink[threadIdx.x] = two.second[index[threadIdx.x] & 3];
}

// Variables of the device and constants.
__global__ void deviceAfter(int n) {
  neighbourA[threadIdx.x + n] = 1; // error: out-of-bounds-access
  neighbourB[threadIdx.x - n] = 1; // error: out-of-bounds-access
}
__global__ void deviceInside(int n) {
  neighbourA[(threadIdx.x + n) % 32] = 1;
  neighbourB[(threadIdx.x + n) % 32] = 1;
}
__global__ void constantAfter(int n) {
  sink[threadIdx.x] = table[threadIdx.x + n]; // error: out-of-bounds-access
}
__global__ void constantInside(int n) {
  sink[threadIdx.x] = table[(threadIdx.x + n) % 32];
}
__global__ void throughVariable(int n) {
  throughPointer[n] = 1; // error: out-of-bounds-access
}
__global__ void throughVariableInside(int n) { throughPointer[n - 1] = 1; }

// Asynchronous copies.
__global__ void asyncLong(const int4 *p) {
  __shared__ int4 s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], p + threadIdx.x, 16); // error: out-of-bounds-access
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  sink[threadIdx.x] = s[31 - threadIdx.x].x;
}
__global__ void asyncOver(const int4 *p, int n) {
  __shared__ int4 s[24];
  if (threadIdx.x < n)
    __pipeline_memcpy_async(&s[threadIdx.x], p + threadIdx.x, 16); // error: out-of-bounds-access
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  sink[threadIdx.x] = s[threadIdx.x % 24].x;
}
__global__ void asyncInside(const int4 *p, int n) {
  __shared__ int4 s[32];
  if (threadIdx.x < n)
    __pipeline_memcpy_async(&s[threadIdx.x], p + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  sink[threadIdx.x] = s[threadIdx.x].x;
}

int main() {
  int index[32] = {}, *deviceIndex, *p;
  for (int i = 0; i < 32; ++i)
    index[i] = i % 4;
  index[9] = 5;
  cudaMalloc(&deviceIndex, sizeof(index));
  cudaMemcpy(deviceIndex, index, sizeof(index), cudaMemcpyHostToDevice);
  cudaMalloc(&p, 28 * sizeof(int4));
  cudaMemset(p, 0, 28 * sizeof(int4));
  cudaMemcpyToSymbol(throughPointer, &p, sizeof(p));
  sharedAfter<<<1, 32>>>(1), sharedInside<<<1, 32>>>(1);
  sharedBefore<<<1, 64>>>(), sharedHalo<<<1, 64>>>();
  reduction<<<1, 64>>>(), reductionGuarded<<<1, 64>>>();
  sharedAtomic<<<1, 32>>>(17), sharedAtomic<<<1, 32>>>(16);
  sharedMisaligned<<<1, 60>>>(), sharedAligned<<<1, 64>>>();
  dynamicAfter<<<1, 32, 400>>>(101), dynamicInside<<<1, 32, 400>>>(100);
  forgotten<<<1, 32>>>();
  twoParts<<<1, 32, 32 * 4 + 31 * 8>>>(32), twoPartsInside<<<1, 32, 32 * 12>>>(32);
  twoPartsOdd<<<1, 32, 32 * 12>>>(31);
  localAfter<<<1, 32>>>(8), localInside<<<1, 32>>>(8);
  localByIndex<<<1, 32>>>(deviceIndex), localByIndexInside<<<1, 32>>>(deviceIndex);
  parameter<<<1, 32>>>({}, deviceIndex), parameterInside<<<1, 32>>>({}, deviceIndex);
  deviceAfter<<<1, 32>>>(1), deviceInside<<<1, 32>>>(1);
  constantAfter<<<1, 32>>>(1), constantInside<<<1, 32>>>(1);
  throughVariable<<<1, 1>>>(112), throughVariableInside<<<1, 1>>>(112);
  asyncLong<<<1, 32>>>((int4 *)p), asyncInside<<<1, 32>>>((int4 *)p, 28);
  asyncOver<<<1, 32>>>((int4 *)p, 28);
  cudaDeviceSynchronize();
}
