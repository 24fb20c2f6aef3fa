// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that is certainly written before it is read, and what only looks so.
// RUN: %heddle cc -g %s -o %t && %check --tool initcheck %s %t
#include <cstdio>

const int T = 16;

__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float left[T][T], right[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    left[y][x] = a[y * n + k + x];
    right[y][x] = b[(k + y) * n + x];
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
/// One column more, of which nothing is read.
__global__ void padded(const float *in, float *out) {
  __shared__ float tile[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * T + x];
  __syncthreads();
  out[y * T + x] = tile[x][y] + 1;
}
__global__ void paddedRead(const float *in, float *out, int n) {
  __shared__ float tile[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * T + x];
  __syncthreads();
  out[y * T + x] = tile[y][x + n] + 1; // error: uninitialized-read
}
/// Some threads leave before.
__global__ void leaving(const float *in, float *out, int n) {
  __shared__ float tile[T * T];
  int i = threadIdx.x;
  if (i >= n)
    return;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[T * T - 1 - i] + 1; // error: uninitialized-read
}
__global__ void someStore(const float *in, float *out, int n) {
  __shared__ float tile[T * T];
  int i = threadIdx.x;
  if (i < n)
    tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i ^ 1] + 1; // error: uninitialized-read
}
__global__ void uniformStore(const float *in, float *out, int n) {
  __shared__ float tile[T * T];
  int i = threadIdx.x;
  if (n > 3)
    tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i ^ 1] + 1; // error: uninitialized-read
}
__global__ void afterBarrier(const float *in, float *out, int n) {
  __shared__ float tile[T * T];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    if (k > 0)
      out[i] = tile[(i + k) % (T * T)] + 1;
    tile[i] = in[i];
  }
}
__global__ void beforeStore(const float *in, float *out, int n) {
  __shared__ float tile[T * T];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    out[i] = tile[(i + k) % (T * T)] + 1; // error: uninitialized-read
    tile[i] = in[i];
  }
}
__global__ void filled(const int *in, int *out) {
  __shared__ int counts[1000];
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    counts[i] = 0;
  __syncthreads();
  atomicAdd(&counts[in[threadIdx.x] % 1000], 1);
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x];
}
__global__ void filledTooLittle(const int *in, int *out) {
  __shared__ int counts[1000];
  for (int i = threadIdx.x; i < 990; i += blockDim.x)
    counts[i] = 0;
  __syncthreads();
  atomicAdd(&counts[(in[threadIdx.x] + 991) % 1000], 1); // error: uninitialized-read
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x];
}
__global__ void halo(const float *in, float *out) {
  __shared__ float row[T * T + 2];
  int t = threadIdx.x;
  row[t + 1] = in[t];
  if (t == 0)
    row[0] = 0;
  if (t == T * T - 1)
    row[t + 2] = 0;
  __syncthreads();
  out[t] = row[t] + row[t + 1] + row[t + 2];
}
__global__ void halfHalo(const float *in, float *out) {
  __shared__ float row[T * T + 2];
  int t = threadIdx.x;
  row[t + 1] = in[t];
  if (t == 0)
    row[0] = 0;
  __syncthreads();
  out[t] = row[t] + row[t + 1] + row[t + 2]; // error: uninitialized-read
}
__global__ void reduction(const float *in, float *out) {
  __shared__ float part[T * T];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int d = T * T / 2; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}
/// Every second word, from the odd threads.
__global__ void secondOnes(const float *in, float *out) {
  __shared__ float part[T * T];
  int t = threadIdx.x;
  if (t & 1)
    part[t] = in[t];
  __syncthreads();
  if (t & 1)
    out[t] = part[t] + 1;
  if (t == 6)
    out[t] = part[t - 2] + 1; // error: uninitialized-read
}
/// A barrier of another kind: of half of the block.
__global__ void halfBarrier(const float *in, float *out) {
  __shared__ float part[T * T];
  int t = threadIdx.x;
  if (t < 128) {
    part[t] = in[t];
    asm volatile("bar.sync 1, 128;");
    out[t] = part[127 - t] + 1;
  }
}

int main() {
  float *a, *b, *c;
  int *in;
  cudaMalloc(&a, 65536);
  cudaMalloc(&b, 65536);
  cudaMalloc(&c, 65536);
  cudaMalloc(&in, 65536);
  cudaMemset(a, 0, 65536);
  cudaMemset(b, 0, 65536);
  cudaMemset(in, 0, 65536);
  dim3 tile(T, T);
  for (int i = 0; i < 2; ++i) { // c was written as a whole, or not
    tiles<<<1, tile>>>(a, b, c, 32);
    padded<<<1, tile>>>(a, c);
    paddedRead<<<1, tile>>>(a, c, 1);
    leaving<<<1, T * T>>>(a, c, 200);
    someStore<<<1, T * T>>>(a, c, 200);
    uniformStore<<<1, T * T>>>(a, c, 1 + i);
    afterBarrier<<<1, T * T>>>(a, c, 3);
    beforeStore<<<1, T * T>>>(a, c, 3);
    filled<<<1, T * T>>>(in, (int *)c);
    filledTooLittle<<<1, T * T>>>(in, (int *)c);
    halo<<<1, T * T>>>(a, c);
    halfHalo<<<1, T * T>>>(a, c);
    reduction<<<1, T * T>>>(a, c);
    secondOnes<<<1, T * T>>>(a, c);
    halfBarrier<<<1, T * T>>>(a, c);
    cudaDeviceSynchronize();
    cudaMemset(c, 0, 65536);
  }
  return cudaDeviceSynchronize();
}
