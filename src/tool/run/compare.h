// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of two runs of the same program, compared (`heddle diff`).
#pragma once

#include "base/image/saved_launch.h"

#include <optional>
#include <string>

namespace heddle::tool {

/// What memory is taken for. Auto: a word may be two floats, a double, a pointer or integers.
enum class ValueType { Auto, Float, Double, Half, Int, Long, Byte };
std::optional<ValueType> valueType(std::string_view name);

/// Numbers are the same if |a - b| <= absolute + relative * |b|; those that are not finite if both are
/// the same infinity, or NaN.
struct Tolerance {
  double relative = 1e-5, absolute = 1e-8;
  ValueType type = ValueType::Auto;
};

/// A value that differs.
struct Difference {
  size_t memory = 0; ///< which of the launch's
  size_t index = 0;  ///< of the value in it
  size_t values = 0; ///< values that differ there
  size_t of = 0;     ///< values that it has
  std::string first, second, type;
};

/// The first difference of two snapshots whose memory corresponds; pointers to the same place of
/// corresponding memory are the same.
std::optional<Difference> firstDifference(const SavedLaunch &, const SavedLaunch &,
                                          const Tolerance &);
/// Memory does not correspond: how. Empty: it does.
std::string unlikeness(const SavedLaunch &, const SavedLaunch &);

/// "parameter 2 (device memory of 4096 bytes)".
std::string memoryName(const SavedLaunch &, size_t memory);

} // namespace heddle::tool
