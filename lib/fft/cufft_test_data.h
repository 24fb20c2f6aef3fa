// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random data in any layout, and transforms of it by the definition, for the tests of cuFFT.
#pragma once

#include "fft/problem.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

namespace heddle::fft {

using Value = std::complex<double>;

/// The place of element `i` (row-major over `sizes`) of transform `b`.
inline int64_t placeOf(const Problem &problem, const Layout &layout, bool input, int64_t b,
                       int64_t i) {
  int64_t place = b * layout.dist, stride = layout.stride;
  for (int d = problem.rank - 1; d >= 0; --d) {
    int64_t n = d == problem.rank - 1 ? rowElements(problem, input) : problem.n[d];
    place += i % n * stride;
    i /= n;
    stride *= layout.embed[d];
  }
  return place;
}

/// The elements of one transform on one side.
inline int64_t elementCount(const Problem &problem, bool input) {
  int64_t count = rowElements(problem, input);
  for (int d = 0; d + 1 < problem.rank; ++d)
    count *= problem.n[d];
  return count;
}

/// The definition along one dimension of a row-major array, for all other dimensions.
inline void transformAlong(std::vector<Value> &data, const Problem &problem, int d, double sign) {
  int64_t n = problem.n[d], inner = 1;
  for (int e = d + 1; e < problem.rank; ++e)
    inner *= problem.n[e];
  std::vector<Value> line(n);
  for (int64_t at = 0; at < int64_t(data.size()); ++at) {
    if (at / inner % n != 0)
      continue;
    for (int64_t k = 0; k < n; ++k) {
      line[k] = 0;
      for (int64_t j = 0; j < n; ++j)
        line[k] +=
            data[at + j * inner] * std::polar(1.0, sign * 2 * M_PI * double(j * k % n) / double(n));
    }
    for (int64_t k = 0; k < n; ++k)
      data[at + k * inner] = line[k];
  }
}

inline std::vector<Value> transformed(std::vector<Value> data, const Problem &problem,
                                      double sign) {
  for (int d = 0; d < problem.rank; ++d)
    transformAlong(data, problem, d, sign);
  return data;
}

/// The full array of one transform, of whichever side: real data have no imaginary parts, and the
/// half that a complex side leaves out is the conjugate of the other.
struct Signal {
  std::vector<Value> in, out;
};

inline Signal randomSignal(const Problem &problem, bool forward, std::mt19937 &random) {
  std::uniform_real_distribution<double> value(-1, 1);
  int64_t count = 1;
  for (int d = 0; d < problem.rank; ++d)
    count *= problem.n[d];
  std::vector<Value> data(count);
  for (Value &v : data)
    v = {value(random), problem.kind == Kind::Complex ? value(random) : 0.0};
  if (problem.kind != Kind::ComplexToReal)
    return {data, transformed(data, problem, forward ? -1 : 1)};
  // The spectrum of real data, so that it has the symmetry that it must have.
  std::vector<Value> spectrum = transformed(data, problem, -1);
  for (Value &v : data)
    v *= double(count);
  return {spectrum, data};
}

/// Numbers on the device, `T` of them.
template <typename T> class DeviceNumbers {
public:
  explicit DeviceNumbers(const std::vector<T> &host) : count_(host.size()) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&data_), count_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  DeviceNumbers(const DeviceNumbers &) = delete;
  ~DeviceNumbers() { cudaFree(data_); }

  T *data() { return data_; }
  std::vector<T> read() {
    std::vector<T> host(count_);
    EXPECT_EQ(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return host;
  }

private:
  size_t count_;
  T *data_ = nullptr;
};

constexpr double Gap = -77; ///< what lies between elements, to be left as it is

/// Writes the elements of transform `b` into memory of one side, real numbers `T`.
template <typename T>
void scatter(const Problem &problem, bool input, bool inPlace, int64_t b,
             const std::vector<Value> &full, std::vector<T> &memory) {
  Layout layout = layoutOf(problem, input, inPlace);
  bool complex = elementBytes(problem, input) == 2 * sizeof(T);
  int64_t row = rowElements(problem, input), whole = problem.n[problem.rank - 1];
  for (int64_t i = 0; i < elementCount(problem, input); ++i) {
    int64_t place = placeOf(problem, layout, input, b, i);
    Value value = full[i / row * whole + i % row];
    if (complex)
      memory[2 * place] = T(value.real()), memory[2 * place + 1] = T(value.imag());
    else
      memory[place] = T(value.real());
  }
}

} // namespace heddle::fft
