// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For who hears at once of what a program does, in its own process: libcupti.
#pragma once

#include "profile/activity.h"

namespace heddle::profile {

/// Called on the thread that did it, or that ended it. `callEnds` comes with the code.
struct Listener {
  void (*callBegins)(const ApiCall &);
  void (*callEnds)(const ApiCall &);
  void (*workOver)(const Activity &);
  void (*rangeOver)(const Range &);
};

} // namespace heddle::profile

extern "C" {
/// From now on; once in a process.
void heddle_listen(const heddle::profile::Listener *);
/// Where time is modelled: the GPU's times in place of the processor's.
void heddle_place_activity(heddle::profile::Activity *);
/// The clock of all times, in nanoseconds.
uint64_t heddle_timestamp();
}
