// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine can do, as benchmarks of a peer of their own: a chain-free FMA loop in
// registers, and STREAM's triad over arrays far larger than the caches. The triad comes twice. A
// plain store first reads the line that it writes; a streaming store does not and so reaches a
// higher figure by STREAM's counting (24 bytes for each double triple). Kernels are compared with
// the better of the two.
#include "bench.h"

#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>

using namespace bench;

namespace {

#if defined(__AVX512F__)
using Vector = __m512;
constexpr int Chains = 16; // enough for two units of latency 4 or 5, and fits the registers
#else
using Vector = __m256;
constexpr int Chains = 12;
#endif
constexpr int Lanes = sizeof(Vector) / sizeof(float);

constexpr size_t FmaSteps = 1 << 20;
constexpr size_t TriadCount = size_t(1) << 24;

Problem fmaProblem() {
  Problem problem{Unit::Flops, 2.0 * Lanes * Chains * FmaSteps * omp_get_max_threads()};
  return problem.output<float>(1024);
}

void fma(Data &data) {
  float *sink = data.get<float>(0);
#pragma omp parallel
  {
    Vector sums[Chains], a = Vector{} + 0.999f, b = Vector{} + 1e-3f;
    for (int c = 0; c < Chains; ++c)
      sums[c] = Vector{} + float(c);
    for (size_t i = 0; i < FmaSteps; ++i) {
#pragma GCC unroll 16
      for (int c = 0; c < Chains; ++c) {
        sums[c] = sums[c] * a + b;
        asm volatile("" : "+v"(sums[c])); // keeps the chain out of the optimiser's hands
      }
    }
    for (int c = 0; c < Chains; ++c)
      sink[omp_get_thread_num() % 64 * 16 + c] = sums[c][0];
  }
}

Problem triadProblem() {
  Problem problem{Unit::Bytes, 3.0 * sizeof(float) * TriadCount};
  return problem.input(randomFloats(TriadCount, 0, 1, 1))
      .input(randomFloats(TriadCount, 0, 1, 2))
      .output<float>(TriadCount);
}

void triad(Data &data) {
  const float *b = data.get<float>(0), *c = data.get<float>(1);
  float *a = data.get<float>(2);
#pragma omp parallel for
  for (size_t i = 0; i < TriadCount; ++i)
    a[i] = b[i] + 3.0f * c[i];
}

void triadStreaming(Data &data) {
  const float *b = data.get<float>(0), *c = data.get<float>(1);
  float *a = data.get<float>(2);
#pragma omp parallel for
  for (size_t i = 0; i < TriadCount; i += 8)
    _mm256_stream_ps(a + i, _mm256_loadu_ps(b + i) + 3.0f * _mm256_loadu_ps(c + i));
}

} // namespace

namespace bench {

/// Huge pages, as a program that wants the machine's best would ask for.
void *allocate(size_t bytes) {
  size_t rounded = (bytes + (2 << 20) - 1) & ~size_t((2 << 20) - 1);
  void *array = std::aligned_alloc(2 << 20, rounded);
  madvise(array, rounded, MADV_HUGEPAGE);
  return array;
}
void release(void *array) { std::free(array); }
void upload(void *array, const void *source, size_t bytes) { std::memcpy(array, source, bytes); }
void download(void *target, void *array, size_t bytes) { std::memcpy(target, array, bytes); }
void synchronize() { _mm_sfence(); }

} // namespace bench

BENCHMARK("fma", fmaProblem, fma)
BENCHMARK("triad", triadProblem, triad)
BENCHMARK("triad_streaming", triadProblem, triadStreaming)
