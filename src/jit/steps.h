// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace heddle::jit {

/// Times the steps of one compilation. With HEDDLE_TIME_JIT set, prints each on stderr as it ends.
class Steps {
public:
  explicit Steps(const char *what);
  ~Steps();
  /// Ends the step that has run since the last call.
  void end(const char *step);

private:
  using Clock = std::chrono::steady_clock;
  bool prints_;
  const char *what_;
  Clock::time_point begin_, last_;
};

} // namespace heddle::jit
