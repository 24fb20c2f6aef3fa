// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// A place in device code, with the functions that it is inlined into, or in host code.
struct Frame {
  std::string function, file;
  uint32_t line = 0, column = 0; ///< 0: not known
  uint64_t offset = 0; ///< in `file`, an executable or library, where the line is not known
};

/// What else a finding is about: the other access, the allocation.
struct Note {
  std::string text;
  std::vector<Frame> frames; ///< may be empty
  uint32_t stack = 0;        ///< of host code (host_stack.h), looked up when the note is told
};

/// A thread of a launch.
struct Thread {
  std::array<uint32_t, 3> block = {}, thread = {};
  /// In the order of their numbers, x fastest.
  bool operator<(const Thread &) const;
};

/// One error, however often it happened.
struct Finding {
  std::string tool;          ///< "memcheck"
  std::string kind;          ///< for machines: "out-of-bounds-access"
  std::string text;          ///< "Invalid global write of 4 bytes"
  std::vector<Frame> frames; ///< where, the innermost function first
  bool isInfo = false;       ///< no error: shown with --print-level info
  std::string kernel;        ///< empty: host code did it
  uint32_t launch = 0;       ///< where it was launched (host_stack.h); told as the last note
  bool hasThread = false;
  Thread thread;           ///< the first one, by number
  uint64_t threads = 0;    ///< how many threads did it, counted again for each time
  uint64_t times = 1;      ///< of host code: how often
  std::vector<Note> notes; ///< of the first thread

  /// What makes two of them one: the kind, and where.
  std::string key() const;
};

uint64_t countErrors(const std::vector<Finding> &);

} // namespace heddle::check
