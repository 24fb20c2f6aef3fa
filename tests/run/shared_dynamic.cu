// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory: several extern names and types all start at the same place, after the static part;
// parts carved out of it; more than 48 KB after cudaFuncSetAttribute; its size and alignment.
#include "support.h"

extern __shared__ int words[];
extern __shared__ double doubles[];
extern __shared__ unsigned char bytes[];

__global__ void names(unsigned *out, int n) {
  __shared__ int before[7];
  int t = threadIdx.x;
  before[t % 7] = 0;
  words[t] = t * 0x01010101;
  __syncthreads();
  // Volatile: the compiler takes different names for different places.
  volatile size_t at[4] = {(size_t)words, (size_t)doubles, (size_t)bytes, (size_t)before};
  unsigned same = at[0] == at[1] && at[0] == at[2];
  unsigned aligned = at[1] % 16 == 0;
  unsigned apart = at[0] >= at[3] + sizeof before || at[0] + 4 * n <= at[3];
  out[t] = bytes[t * 4 + 1] + 1000 * same + 2000 * aligned + 4000 * apart;
}

template <class T> __global__ void carved(const T *in, T *out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T *first = reinterpret_cast<T *>(raw);
  short *second = reinterpret_cast<short *>(first + n);
  T *third = reinterpret_cast<T *>(second + 4 * n);
  int t = threadIdx.x;
  first[t] = in[t];
  second[t] = short((t * 7) % n);
  third[n - 1 - t] = T(t);
  __syncthreads();
  out[t] = first[second[t]] + third[t];
}

__global__ void large(int *out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = i ^ int(blockIdx.x);
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    sum += words[(i * 31) % count];
  atomicAdd(out + blockIdx.x, sum);
}

int main() {
  for (int n : {64, 100, 33}) {
    Buffer<unsigned> out(n);
    names<<<1, n, n * 4>>>(out, n);
    checkLaunch();
    std::vector<unsigned> want;
    for (int t = 0; t < n; t++)
      want.push_back(t + 7000);
    expectAll("names", out.get(), want);

    std::vector<double> in(n), wantCarved(n);
    for (int t = 0; t < n; t++)
      in[t] = t * 1.5;
    for (int t = 0; t < n; t++)
      wantCarved[t] = in[(t * 7) % n] + (n - 1 - t);
    Buffer<double> deviceIn(in), outCarved(n);
    carved<<<1, n, n * 24>>>(deviceIn.data, outCarved.data, n);
    checkLaunch();
    expectAll("carved", outCarved.get(), wantCarved);
    std::vector<float> inFloat(in.begin(), in.end());
    Buffer<float> deviceFloat(inFloat), outFloat(n);
    carved<<<1, n, n * 16>>>(deviceFloat.data, outFloat.data, n);
    checkLaunch();
    expectAll("carved", outFloat.get(), std::vector<float>(wantCarved.begin(), wantCarved.end()));
  }

  const int count = 24 * 1024; // 96 KB
  Buffer<int> sums(5);
  expectError("96 KB without leave", (large<<<5, 96, count * 4>>>(sums, count), cudaGetLastError()),
              cudaErrorInvalidValue);
  CUDA_OK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, count * 4));
  large<<<5, 96, count * 4>>>(sums, count);
  checkLaunch();
  std::vector<int> want(5);
  for (int b = 0; b < 5; b++)
    for (int i = 0; i < count; i++)
      want[b] += int((i * 31ll) % count) ^ b;
  expectAll("large", sums.get(), want);
  return finish();
}
