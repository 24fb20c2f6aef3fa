// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a benchmark computes, said once for all peers: its arrays with their start values, the work
// that one run does, what limits it, and how far results may differ. kernels/NAME.h makes a
// Problem; NAME.cu, NAME.ocl.cpp and NAME.omp.cpp solve it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

/// What a kernel is measured in, and so which limit of the machine it is compared with.
enum class Unit {
  Flops, ///< floating-point operations, against the FMA peak
  Bytes, ///< compulsory memory traffic, against the triad's bandwidth
  Items, ///< anything else; no limit is known
};

enum class Element { Float, Double, Int, Byte };

struct Array {
  Element element;
  size_t bytes;
  bool isOutput;                      ///< compared between the peers
  std::vector<unsigned char> initial; ///< empty: zeroed
};

struct Problem {
  Unit unit;
  double work; ///< units in one run
  /// Floats and doubles: largest |a - b| / (|b| + root mean square of b). Integers: share of
  /// elements that may differ (a Mandelbrot point on the border, say).
  double tolerance = 1e-4;
  std::vector<Array> arrays;

  /// An array with start values that is only read.
  template <class T> Problem &input(const std::vector<T> &values) { return add(values, false); }
  /// An array with start values that a run changes.
  template <class T> Problem &inout(const std::vector<T> &values) { return add(values, true); }
  /// A zeroed array for results.
  template <class T> Problem &output(size_t count) {
    arrays.push_back({elementOf(T()), count * sizeof(T), true, {}});
    return *this;
  }
  /// A zeroed array that is not compared.
  template <class T> Problem &scratch(size_t count) {
    arrays.push_back({elementOf(T()), count * sizeof(T), false, {}});
    return *this;
  }

private:
  static Element elementOf(float) { return Element::Float; }
  static Element elementOf(double) { return Element::Double; }
  static Element elementOf(int) { return Element::Int; }
  static Element elementOf(unsigned) { return Element::Int; }
  static Element elementOf(unsigned char) { return Element::Byte; }
  template <class T> Problem &add(const std::vector<T> &values, bool isOutput) {
    arrays.push_back({elementOf(T()), values.size() * sizeof(T), isOutput, {}});
    arrays.back().initial.resize(values.size() * sizeof(T));
    std::memcpy(arrays.back().initial.data(), values.data(), values.size() * sizeof(T));
    return *this;
  }
};

/// xorshift32: the same numbers for every peer.
struct Random {
  uint32_t state;
  explicit Random(uint32_t seed) : state(seed * 2654435761u + 1) {}
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  /// A whole number from 0 to `count` - 1.
  int below(int count) { return int(uint64_t(next()) * uint32_t(count) >> 32); }
  float uniform(float low, float high) { return low + (high - low) * float(next() >> 8) / 16777216.0f; }
};

inline std::vector<float> randomFloats(size_t count, float low, float high, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = random.uniform(low, high);
  return values;
}

} // namespace bench
