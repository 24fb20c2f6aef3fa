// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// NVCC: -rdc=true
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in device code: cudaMalloc and cudaFree, and copies and fills in one, two and three dimensions, in order with
// the kernels of their streams, in memory of the host's, in variables and in the heap of kernels. The manual is the
// reference here: an H200 with CUDA 13.0 gave bytes for `work` that look as if each fill had written zeros, whatever
// its value; orders and copies are the same.
#include "../support.h"

#include <algorithm>

constexpr int Width = 53, Height = 11, Depth = 5, Pitch = 64, Rows = 13;
constexpr int Cells = Pitch * Rows * Depth;

__global__ void addOne(unsigned char *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i]++;
}

__device__ unsigned char variable[Cells];

__device__ cudaPitchedPtr pitched(void *pointer, size_t pitch, size_t width, size_t height) {
  cudaPitchedPtr p;
  p.ptr = pointer, p.pitch = pitch, p.xsize = width, p.ysize = height;
  return p;
}
__device__ cudaExtent extentOf(size_t width, size_t height, size_t depth) {
  cudaExtent extent;
  extent.width = width, extent.height = height, extent.depth = depth;
  return extent;
}

/// Thread t works on a buffer of its own; even ones in their block's null stream, odd ones in a stream.
__global__ void work(unsigned char *all, const unsigned char *source, int *errors) {
  int t = threadIdx.x;
  unsigned char *data = all + t * Cells;
  cudaStream_t stream = 0;
  if (t % 2)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int bad = 0;
  bad += cudaMemsetAsync(data, 3, Cells, stream) != cudaSuccess;
  addOne<<<(Cells + 99) / 100, 100, 0, stream>>>(data, Cells); // 4 everywhere
  bad += cudaMemset2DAsync(data + 1, Pitch, 9, Width, Height, stream) != cudaSuccess;
  bad += cudaMemset3DAsync(pitched(data + 2 * Pitch, Pitch, Width, Rows), 20 + t,
                           extentOf(7, 3, Depth - 1), stream) != cudaSuccess;
  bad += cudaMemcpyAsync(data + 100, source, 50, cudaMemcpyDeviceToDevice, stream) != cudaSuccess;
  bad += cudaMemcpy2DAsync(data + 5 * Pitch, Pitch, source + 7, 20, 20, 6, cudaMemcpyDeviceToDevice,
                           stream) != cudaSuccess;
  cudaMemcpy3DParms p = {};
  p.srcPtr = pitched((void *)source, 30, 30, 4);
  p.srcPos.x = 2, p.srcPos.y = 1;
  p.dstPtr = pitched(data, Pitch, Width, Rows);
  p.dstPos.x = 11, p.dstPos.y = 7, p.dstPos.z = 1;
  p.extent = extentOf(25, 3, 3);
  p.kind = cudaMemcpyDeviceToDevice;
  bad += cudaMemcpy3DAsync(&p, stream) != cudaSuccess;
  addOne<<<(Cells + 99) / 100, 100, 0, stream>>>(data, Cells);
  if (t == 0) {
    bad += cudaMemcpyAsync(variable, data, Cells, cudaMemcpyDeviceToDevice, stream) != cudaSuccess;
    bad += cudaMemsetAsync(variable + 10, 77, 5, stream) != cudaSuccess;
  }
  if (t % 2)
    cudaStreamDestroy(stream);
  errors[t] = bad + (cudaGetLastError() != cudaSuccess);
}

std::vector<unsigned char> expected(const std::vector<unsigned char> &source, int t) {
  std::vector<unsigned char> data(Cells, 4);
  for (int y = 0; y < Height; y++)
    std::fill_n(data.begin() + 1 + y * Pitch, Width, 9);
  for (int z = 0; z < Depth - 1; z++)
    for (int y = 0; y < 3; y++)
      std::fill_n(data.begin() + (2 + y + z * Rows) * Pitch, 7, 20 + t);
  std::copy_n(source.begin(), 50, data.begin() + 100);
  for (int y = 0; y < 6; y++)
    std::copy_n(source.begin() + 7 + y * 20, 20, data.begin() + (5 + y) * Pitch);
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 3; y++)
      std::copy_n(source.begin() + 2 + 30 * (1 + y + 4 * z), 25,
                  data.begin() + 11 + Pitch * (7 + y + Rows * (1 + z)));
  for (unsigned char &value : data)
    value++;
  return data;
}

void testWork() {
  constexpr int Threads = 37;
  Random random(4);
  std::vector<unsigned char> source(500);
  for (unsigned char &value : source)
    value = random.bits();
  Buffer<unsigned char> all(Threads * Cells), from(source);
  Buffer<int> errors(std::vector<int>(Threads, -1));
  work<<<1, Threads>>>(all, from, errors);
  checkLaunch();
  expectAll("errors", errors.get(), std::vector<int>(Threads, 0));
  std::vector<unsigned char> got = all.get(), want;
  for (int t = 0; t < Threads; t++)
    for (unsigned char value : expected(source, t))
      want.push_back(value);
  expectAll("work", got, want);
  std::vector<unsigned char> copied(Cells), wanted(want.begin(), want.begin() + Cells);
  CUDA_OK(cudaMemcpyFromSymbol(copied.data(), variable, Cells));
  std::fill_n(wanted.begin() + 10, 5, 77);
  expectAll("variable", copied, wanted);
}

__global__ void fillWith(int *p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = value + i;
}
/// The children's result, and the memory back, when they are over.
__global__ void collect(int *p, int *q, int n, long long *sum) {
  long long all = 0;
  for (int i = 0; i < n; i++)
    all += p[i] * 2ll - q[i];
  *sum = cudaFree(p) == cudaSuccess && cudaFree(q) == cudaSuccess ? all : -1;
}
/// A list of buffers that the threads take from the heap, fill in children, copy, and give back at the end.
__global__ void heap(long long *sums) {
  int t = threadIdx.x, n = 100 + 13 * t;
  int *p = nullptr, *q = nullptr;
  if (cudaMalloc(&p, n * sizeof(int)) != cudaSuccess || cudaMalloc((void **)&q, n * sizeof(int)) != cudaSuccess)
    return;
  fillWith<<<1, 40, 0, cudaStreamPerThread>>>(p, n, t);
  cudaMemcpyAsync(q, p, n * sizeof(int), cudaMemcpyDeviceToDevice, cudaStreamPerThread);
  fillWith<<<1, 40, 0, cudaStreamPerThread>>>(p, n, 2 * t);
  collect<<<1, 1, 0, cudaStreamPerThread>>>(p, q, n, sums + t);
}

void testHeap() {
  constexpr int Threads = 33;
  Buffer<long long> sums(std::vector<long long>(Threads, -2));
  for (int round = 0; round < 3; round++) {
    heap<<<1, Threads>>>(sums);
    checkLaunch();
  }
  std::vector<long long> want;
  for (long long t = 0; t < Threads; t++) {
    long long n = 100 + 13 * t, sum = 0;
    for (long long i = 0; i < n; i++)
      sum += 2 * (2 * t + i) - (t + i);
    want.push_back(sum);
  }
  expectAll("heap", sums.get(), want);
}

int main() {
  testWork();
  testHeap();
  return finish();
}
