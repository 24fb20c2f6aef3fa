// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v3) %at(64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms in shared memory, by indices that are loaded just before: of 8, 16 and 32 bits, signed too, in steps of the
// grid, for some threads only, and where the thread writes over its index before it counts. The same by digits of keys, also
// those that a shift leaves nothing of. Odd sizes leave warps and blocks in part empty.
#include "support.h"

constexpr int Bins = 100;

enum class Form { Plain, Some, Cleared, Largest };

template <class T, Form form> __global__ void histogram(int n, T *in, int *bins) {
  __shared__ int mine[Bins];
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x) {
    if (form == Form::Some && i % 5 == 2)
      continue;
    T key = in[i];
    if (form == Form::Cleared)
      in[i] = T(1);
    if (form == Form::Largest)
      atomicMax(&mine[key], i);
    else
      atomicAdd(&mine[key], 1 + i % 3);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    form == Form::Largest ? atomicMax(&bins[bin], mine[bin]) : atomicAdd(&bins[bin], mine[bin]);
}

template <class T, Form form> void test(const char *name, int n, int blocks, int threads) {
  Random random(n + threads);
  std::vector<T> keys(n);
  std::vector<int> want(Bins, 0);
  for (int i = 0; i < n; ++i) {
    keys[i] = T(random.below(Bins));
    if (form == Form::Largest)
      want[keys[i]] = i;
    else if (form != Form::Some || i % 5 != 2)
      want[keys[i]] += 1 + i % 3;
  }
  Buffer<T> in(keys);
  Buffer<int> bins(std::vector<int>(Bins, 0));
  histogram<T, form><<<blocks, threads>>>(n, in, bins);
  checkLaunch();
  std::vector<int> got = bins.get();
  for (int bin = 0; bin < Bins; ++bin)
    expect(name, bin, got[bin], want[bin]);
  std::vector<T> left = in.get();
  for (int i = 0; i < n; ++i)
    expect("key", i, int(left[i]), form == Form::Cleared ? 1 : int(keys[i]));
}

template <class T, bool Clears> __global__ void countDigits(int n, T *in, int shift, int *bins) {
  __shared__ int mine[64];
  for (int bin = threadIdx.x; bin < 64; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x) {
    T key = in[i];
    if (Clears)
      in[i] = 0;
    atomicAdd(&mine[(key >> shift ^ 5) & 63], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 64; bin += blockDim.x)
    atomicAdd(&bins[bin], mine[bin]);
}

template <class T, bool Clears> void testDigits(int n, int threads, int shift) {
  Random random(n + threads + shift);
  std::vector<T> keys(n);
  std::vector<int> want(64, 0);
  for (T &key : keys) {
    key = T(random.bits());
    ++want[((shift < 32 ? key >> shift : 0) ^ 5) & 63]; // as a GPU shifts
  }
  Buffer<T> in(keys);
  Buffer<int> bins(std::vector<int>(64, 0));
  countDigits<T, Clears><<<3, threads>>>(n, in, shift, bins);
  checkLaunch();
  expectAll("digits", bins.get(), want);
}

template <class T> void testAll(int n, int blocks, int threads) {
  test<T, Form::Plain>("plain", n, blocks, threads);
  test<T, Form::Some>("some", n, blocks, threads);
  test<T, Form::Cleared>("cleared", n, blocks, threads);
  test<T, Form::Largest>("largest", n, blocks, threads);
}

int main() {
  for (int n : {20000, 777, 5}) {
    testAll<unsigned char>(n, 3, 256);
    testAll<unsigned char>(n, 3, 33);
    testAll<signed char>(n, 2, 256);
    testAll<unsigned short>(n, 3, 96);
    testAll<int>(n, 3, 256);
    testAll<int>(n, 3, 96);
    for (int shift : {0, 7, 31, 32, 50}) {
      testDigits<unsigned, false>(n, 256, shift);
      testDigits<unsigned, false>(n, 33, shift);
      testDigits<unsigned, true>(n, 96, shift);
      testDigits<unsigned short, false>(n, 256, shift);
    }
  }
  return finish();
}
