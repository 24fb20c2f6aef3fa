// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 %heddle run %s
// RUN: env HEDDLE_WIDTH=64 %heddle run %s
// RUN: %heddle run %s
// RUN: env HEDDLE_DISABLE=reload-lanes %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms in shared memory, by indices that are loaded just before: of 8, 16 and 32 bits, signed too, in steps of the
// grid, for some threads only, and where the thread writes over its index before it counts. Odd sizes leave warps and
// blocks in part empty.
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

template <class T> void testAll(int n, int blocks, int threads) {
  test<T, Form::Plain>("plain", n, blocks, threads);
  test<T, Form::Some>("some", n, blocks, threads);
  test<T, Form::Cleared>("cleared", n, blocks, threads);
  test<T, Form::Largest>("largest", n, blocks, threads);
}

int main() {
  for (int threads : {256, 96, 33})
    for (int n : {20000, 777, 5}) {
      testAll<unsigned char>(n, 3, threads);
      testAll<signed char>(n, 2, threads);
      testAll<unsigned short>(n, 3, threads);
      testAll<int>(n, 3, threads);
    }
  return finish();
}
