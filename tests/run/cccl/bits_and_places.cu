// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/std/bitset>, cstdlib, source_location and <cuda/discard_memory>, in both halves and at compile time.
#include "../support.h"

#include <cuda/discard_memory>
#include <cuda/std/bitset>
#include <cuda/std/cstdlib>
#include <cuda/std/source_location>

constexpr int line = cuda::std::source_location::current().line();
static_assert(line == __LINE__ - 1);
static_assert(cuda::std::bitset<70>("1011").count() == 3 && cuda::std::bitset<70>().set().count() == 70);
static_assert(((cuda::std::bitset<130>(5) << 100) >> 100).to_ullong() == 5);
static_assert(cuda::std::abs(-5l) == 5 && cuda::std::div(-7, 2).rem == -1 && cuda::std::lldiv(9, 4).quot == 2);

__host__ __device__ int lineOf(cuda::std::source_location place = cuda::std::source_location::current()) {
  return int(place.line());
}

template <size_t N> __host__ __device__ void fill(int i, long long *out) {
  cuda::std::bitset<N> set, odd;
  for (size_t k = 0; k < N; ++k) {
    set[k] = k % size_t(i % 7 + 1) == 0;
    odd.set(k, k & 1);
  }
  out[0] = (long long)(set & odd).count();
  out[1] = (long long)(set | odd).count() + 1000 * set.any() + 2000 * set.all() + 4000 * set.none();
  out[2] = (long long)((set ^ odd) << size_t(i % 90)).count();
  out[3] = (long long)(~set >> size_t(i % 90)).count();
  out[4] = (set << 3 >> 3) == set.reset(N - 1).reset(N - 2).reset(N - 3);
  out[5] = (long long)odd.flip().flip(1).test(1) + (set != odd) * 2;
  set.reset();
  set |= cuda::std::bitset<N>(0x5555ull * unsigned(i + 1));
  out[6] = (long long)(set & cuda::std::bitset<N>("1111111111111111")).to_ulong();
  out[7] = cuda::std::abs(7 - i) * 10 + cuda::std::ldiv(long(i), 4).quot;
}
constexpr int Rows = 64;
__global__ void fillAll(long long *out, int *lines) {
  int i = int(threadIdx.x);
  fill<37>(i, out + 24 * i);
  fill<64>(i, out + 24 * i + 8);
  fill<200>(i, out + 24 * i + 16);
  lines[i] = lineOf();
  cuda::discard_memory(lines, 0);
}
constexpr int lineInKernel = __LINE__ - 3;

int main() {
  long long *out;
  int *lines;
  CUDA_OK(cudaMallocManaged(&out, 24 * Rows * sizeof *out));
  CUDA_OK(cudaMallocManaged(&lines, Rows * sizeof *lines));
  fillAll<<<1, Rows>>>(out, lines);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < Rows; ++i) {
    long long want[24];
    fill<37>(i, want);
    fill<64>(i, want + 8);
    fill<200>(i, want + 16);
    for (int k = 0; k < 24; ++k)
      expect("bits", 24 * i + k, out[24 * i + k], want[k]);
    expect("line", i, lines[i], lineInKernel);
  }
  // By hand: every third bit of 37, and the odd ones.
  long long third[8];
  fill<37>(2, third);
  expect("and", 0, third[0], 6ll);
  expect("or", 0, third[1], 1000ll + 13 + 18 - 6);
  return finish();
}
