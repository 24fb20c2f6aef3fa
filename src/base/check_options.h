// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// How a program is checked: the options of `heddle check`, which are compute-sanitizer's.
struct CheckOptions {
  uint32_t checks = 0; ///< Checks; 0: nothing is
  uint64_t printLimit = 100;
  std::string logFile; ///< empty: stderr
};

/// The options of a command line. `rest` gets the words behind them: the program and its arguments.
Result<CheckOptions> parseCheckOptions(const std::vector<std::string> &words,
                                       std::vector<std::string> &rest);
/// "memcheck,racecheck", "all".
Result<uint32_t> parseChecks(const std::string &list);

} // namespace heddle
