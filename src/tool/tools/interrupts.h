// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal that asks us to end (interrupts.cpp): child processes, and what it must not leave.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <sys/types.h>

namespace heddle::tool {

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT end the process at once from now on, after its children, and
/// take what is unfinished along. Those that whoever started us wants ignored stay so. Before any
/// thread starts.
void handleInterrupts();

/// Makes signals what they were when we began, for a program that takes our place.
void restoreSignals();

/// A file or folder that must not be left by a signal while this object lives: a folder with what is
/// in it, and a file if it is new or has changed by then. Of an empty path: nothing.
class Unfinished {
public:
  explicit Unfinished(const std::string &path);
  /// Of what `make` makes and gives the path of, without a moment in between.
  explicit Unfinished(const std::function<std::string()> &make);
  ~Unfinished();
  Unfinished(const Unfinished &) = delete;
  Unfinished &operator=(const Unfinished &) = delete;

private:
  void note(const std::string &path);

  size_t number_ = 0;
};

/// How a child sees signals: as we did when we began. The terminal's stop signals are blocked if it
/// `hasGroup`, for it could not be continued.
struct ChildSignals {
  sigset_t mask, defaults;
  explicit ChildSignals(bool hasGroup);
};

/// Starts a child by `spawn`, which returns its number, 0 if it failed. `hasGroup`: it leads a group of
/// processes, which is all that it starts.
pid_t startChild(bool hasGroup, const std::function<pid_t()> &spawn);
/// Waits for a child's end. Its status, as of waitpid.
int awaitChild(pid_t);

} // namespace heddle::tool
