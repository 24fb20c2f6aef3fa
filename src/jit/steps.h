// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::jit {

/// Times the steps of one compilation. With HEDDLE_TIME_JIT set, prints each on stderr as it ends:
/// what passed on the clock and what this thread ran. HEDDLE_TIME_JIT=passes also times LLVM's
/// passes; with a path, /tmp/times, the lines go to the end of that file (tools/test_times.py).
class Steps {
public:
  explicit Steps(const char *what);
  ~Steps();
  /// Ends the step that has run since the last call.
  void end(const char *step);

  /// HEDDLE_TIME_JIT=passes.
  static bool timesPasses();

private:
  struct Time {
    double wall, cpu; ///< ms
    static Time now();
  };
  void print(const char *step, Time since);

  const char *where_; ///< HEDDLE_TIME_JIT, or null
  const char *what_;
  Time begin_, last_;
};

} // namespace heddle::jit
