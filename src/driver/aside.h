// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace heddle::driver {

/// Calls `body(argument)` with a stack on which a compiler fits, with the usual rounding, and without
/// the program's signals, whose handlers may end the program; those that end it without a handler
/// still do. Where the caller's stack is small, or
/// its thread-local objects are gone, that is on a thread of its own; inside such a call it is a plain
/// one. False if the system has no thread left.
bool runAside(void (*body)(void *), void *argument);
/// The thread is one of the device's, or does something aside for one.
bool isForDevice();
/// The thread ends the program, or does something aside for the one that does.
bool endsProgram();
void setEndsProgram();

template <typename F> bool runAside(F &&body) {
  using Body = std::remove_reference_t<F>;
  return runAside([](void *it) { (*static_cast<Body *>(it))(); }, &body);
}

} // namespace heddle::driver
