// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where reports go.
#pragma once

#include "base/result.h"

#include <string>

#include <sys/types.h>

namespace heddle {

/// stderr, stdout or a file that grows.
class Output {
public:
  /// Empty: stderr. "-": stdout.
  explicit Output(const std::string &path);
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  void write(const std::string &) const;

private:
  int file_ = -1;
};

/// Leaves nothing of what an earlier run has written there.
void beginFile(const std::string &path);

/// A file's name with %p for the process, %q{NAME} for a variable of the environment and %% for %.
std::string expandLogName(const std::string &, pid_t);

Result<std::string> readWhole(const std::string &path);
/// Says so where it cannot be written. Nothing if the path is empty.
void writeReport(const std::string &path, const std::string &text);

} // namespace heddle
