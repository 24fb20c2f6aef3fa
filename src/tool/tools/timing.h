// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <chrono>
#include <optional>
#include <string>

namespace heddle::tool {

/// Measures the steps of one input for -time. Each step runs from the end of the one before.
class Timer {
public:
  explicit Timer(std::string source);
  void step(const char *phase, const std::string &input, const std::string &output);

private:
  std::string source_;
  std::chrono::steady_clock::time_point last_;
};

/// Appends all steps so far to a table in nvcc's format; its header comes first in a new file.
std::optional<Failure> writeTimings(const std::string &path);

} // namespace heddle::tool
