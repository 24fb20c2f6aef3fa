// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all examples share: errors, checks, reproducible data, transfers, timing.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program with a message when a CUDA call fails.
#define CUDA_CHECK(call) requireSuccess((call), #call, __FILE__, __LINE__)

inline void requireSuccess(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
  std::exit(2);
}

inline int failedChecks = 0;

/// Prints one line, "ok ..." or "FAIL ...", with a printf text that names what was checked.
__attribute__((format(printf, 2, 3))) inline void check(bool right, const char *format, ...) {
  std::printf(right ? "ok   " : "FAIL ");
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::printf("\n");
  failedChecks += !right;
}

/// The exit code of main: 0 only if every check was right.
inline int exitCode() {
  if (failedChecks)
    std::printf("%d checks failed\n", failedChecks);
  return failedChecks ? 1 : 0;
}

/// Exact equality; the first difference goes to stderr.
template <class T> bool same(const std::vector<T> &got, const std::vector<T> &want) {
  if (got.size() != want.size())
    return false;
  for (size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == want[i])) {
      std::fprintf(stderr, "element %zu: got %g, want %g\n", i, double(got[i]), double(want[i]));
      return false;
    }
  return true;
}

/// |got - want| <= tolerance * max(1, |want|), and no NaN.
inline bool close(double got, double want, double tolerance) {
  return std::fabs(got - want) <= tolerance * std::fmax(1.0, std::fabs(want));
}

/// A small generator (xorshift32), so that every run and every machine sees the same data.
struct Random {
  uint32_t state;
  explicit Random(uint32_t seed) : state(seed * 2654435761u | 1u) {}
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  }
  /// Uniform in [low, high].
  int integer(int low, int high) { return low + int(next() % uint32_t(high - low + 1)); }
  /// Uniform in [0, 1).
  float unit() { return float(next() >> 8) * 0x1p-24f; }
};

/// n whole numbers in [-bound, bound], as T. Sums and products of small whole numbers are exact in
/// floating point in any order, so results can be compared for equality.
template <class T> std::vector<T> wholeNumbers(size_t n, int bound, uint32_t seed) {
  Random random(seed);
  std::vector<T> values(n);
  for (T &value : values)
    value = T(random.integer(-bound, bound));
  return values;
}

/// A device array with a copy of `host`; free it with cudaFree.
template <class T> T *toDevice(const std::vector<T> &host) {
  T *device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

/// A device array of n elements with all bytes zero; free it with cudaFree.
template <class T> T *zerosOnDevice(size_t n) {
  T *device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, n * sizeof(T)));
  CUDA_CHECK(cudaMemset(device, 0, n * sizeof(T)));
  return device;
}

/// Waits for the default stream and copies n elements back.
template <class T> std::vector<T> toHost(const T *device, size_t n) {
  std::vector<T> host(n);
  CUDA_CHECK(cudaGetLastError()); // a launch before this may have failed
  CUDA_CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

/// Time on the device's clock between construction and milliseconds().
struct EventTimer {
  cudaEvent_t start, stop;
  EventTimer() {
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventRecord(start));
  }
  float milliseconds() {
    float elapsed = 0;
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&elapsed, start, stop));
    return elapsed;
  }
  ~EventTimer() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
};
