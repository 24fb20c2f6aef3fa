// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

enum class FOpt {
#define FORTRAN_OPTION(id, ...) id,
#include "tool/fortran/fortran_options.def"
  Count
};

/// A parsed command line of `heddle fc`.
class FortranOptions {
public:
  bool has(FOpt id) const { return !values(id).empty(); }
  const std::vector<std::string> &values(FOpt id) const { return values_[static_cast<size_t>(id)]; }
  std::string last(FOpt id, std::string_view otherwise = "") const;
  void add(FOpt id, std::string value) {
    values_[static_cast<size_t>(id)].push_back(std::move(value));
  }

  std::vector<std::string> inputs; ///< files and -l options, in their order

private:
  std::array<std::vector<std::string>, static_cast<size_t>(FOpt::Count)> values_;
};

/// Parses nvfortran's words. Fails on an unknown option or a missing argument, and on what is
/// refused.
Result<FortranOptions> parseFortranOptions(const std::vector<std::string> &words);

/// What -Ktrap asks for, in the bits of MXCSR: invalid 1, denormal 2, division by zero 4, overflow 8,
/// underflow 16, inexact 32. `none` takes back what is before it.
unsigned trappedExceptions(const FortranOptions &);
std::string fortranHelp();

} // namespace heddle::tool
