// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fmin and fmax of zeros of both signs and of NaNs, as an H200 has them: -0 is below +0, and a NaN
// gives the other operand. The order of zeros holds on processors with AVX512DQ (docs/devlib.md);
// elsewhere the test leaves it out.
//
// NVCC: -std=c++17
// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %heddle run -G %s
#include "support.h"

#include <cstdlib>
#include <cstring>

constexpr int Values = 8, Pairs = Values * Values, Rows = 4;

template <class T> __global__ void minMax(const T *in, T *out) {
  int i = threadIdx.x;
  T a = in[i / Values], b = in[i % Values];
  out[i] = min(a, b);
  out[Pairs + i] = max(a, b);
  out[2 * Pairs + i] = min(a, T(0));
  out[3 * Pairs + i] = max(T(-0.0), b);
}

template <class T> T lower(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T> T upper(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <class T> void check(const char *name, bool zerosHaveOrder) {
  using Limits = std::numeric_limits<T>;
  const T in[Values] = {
      T(-0.0), T(0),  Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
      T(1.5),  T(-2), Limits::denorm_min()};
  T *device, out[Rows * Pairs], *results;
  CUDA_OK(cudaMalloc(&device, sizeof(in)));
  CUDA_OK(cudaMalloc(&results, sizeof(out)));
  CUDA_OK(cudaMemcpy(device, in, sizeof(in), cudaMemcpyHostToDevice));
  minMax<<<1, Pairs>>>(device, results);
  CUDA_OK(cudaMemcpy(out, results, sizeof(out), cudaMemcpyDeviceToHost));
  for (int row = 0; row < Rows; row++)
    for (int i = 0; i < Pairs; i++) {
      T a = row == 3 ? T(-0.0) : in[i / Values], b = row == 2 ? T(0) : in[i % Values];
      T want = row % 2 ? upper(a, b) : lower(a, b), got = out[row * Pairs + i];
      if (!zerosHaveOrder && got == 0 && want == 0)
        continue;
      bool same = std::isnan(want) ? std::isnan(got)
                                   : got == want && std::signbit(got) == std::signbit(want);
      expectTrue(std::string(name) + " row " + std::to_string(row) + " pair " + std::to_string(i),
                 same);
    }
  CUDA_OK(cudaFree(device));
  CUDA_OK(cudaFree(results));
}

int main() {
  bool zerosHaveOrder = true;
#if defined(__HEDDLE__) && defined(__x86_64__)
  const char *cpu = std::getenv("HEDDLE_CPU");
  zerosHaveOrder = cpu && *cpu
                       ? !std::strcmp(cpu, "x86-64-v4")
                       : __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  if (!zerosHaveOrder)
    std::printf("left out: the order of zeros, which this processor has no instruction for\n");
  check<float>("float", zerosHaveOrder);
  check<double>("double", zerosHaveOrder);
  return finish();
}
