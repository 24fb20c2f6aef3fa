// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for each kind of report. docs/gallery.md shows them with what `heddle check` says.
// REQUIRES: x86
// RUN: %heddle cc -g -arch=sm_90a %s -o %t -lcuda
// RUN: %check --tool all %s %t
// RUN: python3 %S/../../tools/gallery.py --check %build/bin/heddle %t
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

//: memcheck: an index that leaves an array
__global__ void shiftLeft(const float *row, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = row[i + 1] * 0.5f; // error: out-of-bounds-access
}

//: memcheck: a tensor map of more rows than there are
namespace cde = cuda::device::experimental;
__global__ void load(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int tile[8][16];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  int t = threadIdx.x;
  if (t == 0) {
    init(&arrived, 1);
    cde::fence_proxy_async_shared_cta();
    cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, 0, 0, arrived); // error: out-of-bounds-access
    arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, sizeof(tile)));
  }
  __syncthreads();
  out[t] = tile[t / 16][t % 16];
}

//: racecheck: a barrier is missing
__global__ void flip(int *row) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = row[t]; // error: race-read-write
  row[t] = tile[127 - t];
}

//: racecheck: a copy that is still under way
__global__ void add(int *row) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &row[t], sizeof(int));
  __pipeline_commit();
  row[t] = tile[t] + 1; // error: race-asynchronous-copy
}

//: racecheck: the host does not wait for the kernel
__global__ void count(int *even) {
  atomicAdd(even, 1 - threadIdx.x % 2);
}
int countEven(int *even) { // in managed memory
  *even = 0;
  count<<<1, 32>>>(even);
  return *even; // error: race-read-write
}

//: initcheck: a tile of which the border stays as it is
__global__ void blur(const float *in, float *out) {
  __shared__ float tile[66];
  int t = threadIdx.x;
  tile[t + 1] = in[t];
  __syncthreads();
  out[t] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3; // error: uninitialized-read
}

//: synccheck: half of the threads do not come to a barrier
__global__ void sum(const int *in, int *out) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2)
    if (t < half) {
      part[t] += part[t + half];
      __syncthreads(); // error: divergent-barrier
    }
  if (t == 0)
    *out = part[0];
}

//: synccheck: a barrier that begins anew while half of its threads have arrived
__global__ void phases(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32)
    __mbarrier_arrive(&barrier);
  __syncthreads();
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x); // error: mbarrier-in-use
  out[threadIdx.x] = 1;
}

//: synccheck: a shuffle from threads that have ended
__global__ void fold(int *row) { // of 20 numbers
  int t = threadIdx.x;
  if (t >= 20)
    return;
  int value = row[t];
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step); // error: shuffle-from-absent-thread
  if (t == 0)
    *row = value;
}

//: floatcheck: squares that half does not have
__global__ void squares(const __half *in, __half *out) {
  int i = threadIdx.x;
  out[i] = in[i] * in[i]; // error: infinity
}

//: floatcheck: a mean of nothing
__global__ void means(const float *sums, const int *counts, float *out) {
  int i = threadIdx.x;
  out[i] = sums[i] / counts[i]; // error: division-by-zero
}

CUtensorMap rowsOf16(int *table, cuuint64_t rows) {
  cuuint64_t sizes[] = {16, rows}, strides[] = {16 * sizeof(int)};
  cuuint32_t box[] = {16, 8}, steps[] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, table, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

int main() {
  float *a, *b;
  int *numbers, *counts;
  cudaMalloc(&a, 256 * sizeof(float));
  cudaMalloc(&b, 256 * sizeof(float));
  cudaMalloc(&numbers, 256 * sizeof(int));
  cudaMalloc(&counts, 32 * sizeof(int));
  cudaMemset(a, 0, 256 * sizeof(float));
  cudaMemset(b, 0, 256 * sizeof(float));
  cudaMemset(numbers, 0, 256 * sizeof(int));
  cudaMemset(counts, 0, 32 * sizeof(int));
  cudaMemset(counts, 1, 16 * sizeof(int));
  shiftLeft<<<1, 256>>>(a, b, 256);
  int *rows, *managed, *even;
  cudaMalloc(&rows, 7 * 16 * sizeof(int));
  cudaMemset(rows, 0, 7 * 16 * sizeof(int));
  load<<<1, 128>>>(rowsOf16(rows, 8), numbers);
  cudaMallocManaged(&managed, 128 * sizeof(int));
  cudaMallocManaged(&even, sizeof(int));
  for (int i = 0; i < 128; i++)
    managed[i] = i;
  cudaDeviceSynchronize(); // while a kernel polls, host code is not looked at
  int numberOfEven = countEven(even);
  flip<<<1, 128>>>(numbers);
  cudaMemset(numbers, 0, 256 * sizeof(int));
  blur<<<1, 64>>>(a, b);
  add<<<1, 128>>>(numbers);
  sum<<<1, 64>>>(numbers, counts + 31);
  phases<<<1, 64>>>(numbers);
  fold<<<1, 32>>>(managed);
  __half host[32], *halves;
  for (int i = 0; i < 32; i++)
    host[i] = i == 5 ? 300 : i;
  cudaMalloc(&halves, 64 * sizeof(__half));
  cudaMemcpy(halves, host, sizeof(host), cudaMemcpyHostToDevice);
  squares<<<1, 32>>>(halves, halves + 32);
  means<<<1, 32>>>(a, counts, b);
  return cudaDeviceSynchronize() || numberOfEven < 0;
}
