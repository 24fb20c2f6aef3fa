// RUN: %heddle cc %s -o %t
// RUN: %widths(128) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=privatize-atomics %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions to arrays that are small enough to be kept as a whole: indices of all widths, with and without a sign, from
// the array's beginning and from its middle, parts of it for each block, fields of structures, some lanes only, arrays
// just as large as can be kept and larger, and an index beyond the array, which must fault.
#include "support.h"

template <class Index, class T> __global__ void count(int n, const Index *in, T *bins) {
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], T(i % 5 + 1));
}

/// Some lanes; each block has a part of the array.
template <class T> __global__ void countParts(int n, const unsigned char *in, T *bins, int part) {
  T *mine = bins + blockIdx.x % 4 * part;
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    if (in[i] % 3)
      atomicAdd(&mine[in[i] % part], T(1));
}

struct Moments {
  int count;
  float sum;
};
__global__ void addMoments(int n, const unsigned char *in, Moments *moments) {
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&moments[in[i] % 50].count, in[i]);
}

/// `first`: the index that 0 stands for, in the middle where indices have a sign.
template <class Index, class T> void testCount(int blocks, int threads, int n, int bins, int first) {
  Random random(n + bins);
  std::vector<Index> in(n);
  std::vector<T> want(bins);
  for (int i = 0; i < n; ++i) {
    int bin = random.below(bins);
    in[i] = Index(bin - first);
    want[bin] += T(i % 5 + 1);
  }
  Buffer<Index> deviceIn(in);
  Buffer<T> deviceBins(bins);
  for (int launch = 0; launch < 2; ++launch) // nothing is left from the first
    count<Index, T><<<blocks, threads>>>(n, deviceIn, deviceBins + first);
  checkLaunch();
  for (T &value : want)
    value *= 2;
  expectAll("counts", deviceBins.get(), want);
}

template <class T> void testParts(int blocks, int threads, int n, int part) {
  Random random(n + part);
  std::vector<unsigned char> in(n);
  for (unsigned char &value : in)
    value = random.below(256);
  std::vector<T> want(4 * part);
  for (int i = 0; i < n; ++i)
    if (in[i] % 3)
      want[i / threads % blocks % 4 * part + in[i] % part] += 1;
  Buffer<unsigned char> deviceIn(in);
  Buffer<T> bins(4 * part);
  countParts<T><<<blocks, threads>>>(n, deviceIn, bins, part);
  checkLaunch();
  expectAll("parts", bins.get(), want);
}

void testMoments(int blocks, int threads, int n) {
  Random random(n);
  std::vector<unsigned char> in(n);
  std::vector<int> want(50);
  for (unsigned char &value : in) {
    value = random.below(256);
    want[value % 50] += value;
  }
  Buffer<unsigned char> deviceIn(in);
  Buffer<Moments> moments(50);
  addMoments<<<blocks, threads>>>(n, deviceIn, moments);
  checkLaunch();
  std::vector<Moments> got = moments.get();
  for (int i = 0; i < 50; ++i) {
    expect("moment", i, got[i].count, want[i]);
    expect("untouched", i, got[i].sum, 0.0f);
  }
}

/// The context is lost behind it. Returns the exit code.
int testBeyond() {
  std::vector<int> in(5000, 7);
  in[4321] = 1 << 29;
  int *deviceIn;
  unsigned *bins;
  CUDA_OK(cudaMalloc(&deviceIn, in.size() * sizeof(int)));
  CUDA_OK(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMalloc(&bins, 100 * sizeof(unsigned)));
  count<int, unsigned><<<4, 128>>>(5000, deviceIn, bins);
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaErrorInvalidAddressSpace) // on a GPU, if the index happens to reach shared memory's addresses
    error = cudaErrorIllegalAddress;
  expectError("beyond", error, cudaErrorIllegalAddress);
  return failures() ? 1 : 0;
}

int main() {
  for (int threads : {33, 256})
    for (int n : {63, 10007}) {
      testCount<unsigned char, unsigned>(20, threads, n, 256, 0);
      testCount<unsigned char, unsigned long long>(7, threads, n, 100, 0);
      testCount<signed char, int>(20, threads, n, 256, 128);
      testCount<signed char, int>(20, threads, n, 100, 0);
      testCount<unsigned short, float>(20, threads, n, 1000, 0);
      testCount<short, double>(20, threads, n, 2000, 1000);
      testCount<int, int>(20, threads, n, 4096, 17);
      testCount<int, int>(20, threads, n, 4097, 0);
      testCount<long long, unsigned>(20, threads, n, 777, 700);
      testCount<unsigned, unsigned long long>(20, threads, n, 2049, 0);
      testParts<int>(11, threads, n, 64);
      testParts<float>(11, threads, n, 250);
      testMoments(11, threads, n);
    }
  return finish() || testBeyond();
}
