// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time that decisions are made by: which form of a kernel is the faster one, whether a launch
// is stuck or hangs, how long a worker waits for work. A test may put a clock of its own in the
// place of the system's (test_clock.h), so that what it checks hangs on no machine's load.
#pragma once

#include <cstdint>

namespace heddle {

/// Both are called by any thread at any time.
class Clock {
public:
  virtual uint64_t now() = 0;    ///< nanoseconds since some beginning; never goes back
  virtual uint64_t thread() = 0; ///< nanoseconds that the calling thread has had a processor

protected:
  ~Clock() = default;
};

/// Sets the process's clock; null is the system's. Other threads may still use the one before.
void setClock(Clock *);

/// What the process's clock says.
uint64_t nowNanoseconds();
uint64_t threadNanoseconds();

} // namespace heddle
