// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace heddle::tool {

using Command = std::vector<std::string>;

/// What to do with a child's standard streams.
struct Streams {
  int input = -1;             ///< its standard input; -1: ours
  bool captureOutput = false; ///< keep its standard output for Process::output
  bool captureErrors = false; ///< keep its standard error for Process::errors
  bool usesTerminal = false;  ///< it may: a program of the user's, no tool (interrupts.h)
};

/// A child process. Its captured streams go to memory files, so that any number of children can run
/// without a thread or a loop to empty pipes.
class Process {
public:
  Process() = default;
  Process(Process &&) noexcept;
  Process &operator=(Process &&) noexcept;
  ~Process();

  static Result<Process> start(const Command &, const Streams & = {});
  /// Waits for the end. The exit status, or 128 + signal.
  int wait();
  std::string output() const;
  std::string errors() const;

private:
  pid_t pid_ = -1;
  int status_ = 0;
  int output_ = -1, errors_ = -1;
};

/// A pipe that children do not inherit.
struct Pipe {
  int read = -1, write = -1;
  static Result<Pipe> create();
};

/// Writes all and closes. A reader that has gone is no error: its own exit status says why.
void writeAndClose(int fd, std::string_view bytes);

/// A command as one line that a shell would take. With `quoteFiles` the output and objects are in
/// quotes though they need none, as nvcc prints them and scripts look for them.
std::string quoteCommand(const Command &, bool quoteFiles = false);

} // namespace heddle::tool
