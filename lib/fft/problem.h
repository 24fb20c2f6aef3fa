// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan transforms: its kind, sizes and where its elements lie (cuFFT API Reference, "Data
// Layout").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::fft {

constexpr int MaxRank = 3;

enum class Kind { Complex, RealToComplex, ComplexToReal };

/// What elements are made of. Half and BFloat16 are calculated in float.
enum class Number { Float, Double, Half, BFloat16 };

/// Where one side's elements lie: element (x, y, z) of transform b is at
/// b * dist + ((x * embed[1] + y) * embed[2] + z) * stride, in elements of that side.
struct Layout {
  std::array<int64_t, MaxRank> embed;
  int64_t stride, dist;
};

struct Problem {
  Kind kind;
  Number number;
  int rank;
  std::array<int64_t, MaxRank> n; ///< of the real side, slowest first
  int64_t batch;
  bool advanced = false; ///< The layouts are given. Otherwise they are the basic ones.
  Layout in{}, out{};    ///< if advanced
};

bool isComplexSide(const Problem &problem, bool input);

/// The elements of a row on one side: n / 2 + 1 on the complex side of a real transform.
int64_t rowElements(const Problem &problem, bool input);

/// The layout of one side. Basic real data are padded to the length of the complex rows if the
/// transform is in place.
Layout layoutOf(const Problem &problem, bool input, bool inPlace);

/// The bytes of one element.
size_t elementBytes(const Problem &problem, bool input);

/// The elements from the first to the last one of a side, gaps included.
int64_t extent(const Problem &problem, bool input, bool inPlace);

/// The points of all transforms together.
int64_t pointCount(const Problem &problem);

/// The work area of a plan, in bytes: a complex to real transform of several dimensions needs a
/// copy of its input, for FFTW overwrites it.
size_t workBytes(const Problem &problem);

} // namespace heddle::fft
