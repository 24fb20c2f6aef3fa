// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over all cores, for what a CPU library has no call for: conversions, batches of small
// problems.
//
// The threads are started at the first loop and wait for the next one. Loops may run beside each
// other, since streams do; each is shared among its caller and the threads that are idle, so it
// always gets on. A loop must not be started from the body of another one's iteration on the same
// data, but may be from its thread: the caller does what nobody else takes.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heddle::library {

/// How many threads a loop may have: the processors that this process may use.
unsigned loopThreads();

/// Calls `body(context, begin, end)` for pieces of at most `grain` iterations that together are 0
/// .. count - 1.
void runLoop(int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context);

/// The same with a function object of (begin, end). Returns when all pieces are done.
template <typename F> void parallelFor(int64_t count, int64_t grain, F &&function) {
  runLoop(
      count, grain,
      [](void *context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F> *>(context))(begin, end);
      },
      &function);
}

} // namespace heddle::library
