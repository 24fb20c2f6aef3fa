// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace heddle::device::cpu {

/// Where a stack was left: what is to be known to go on there.
#if defined(__x86_64__) || defined(__aarch64__)
using StackContext = void *; ///< the stack pointer
#else
using StackContext = ucontext_t;
#endif

/// Makes a context that begins `body(argument)` on the stack from `begin` to `end`. `body` must not
/// return.
void prepareStack(StackContext &, uint8_t *begin, uint8_t *end, void (*body)(void *),
                  void *argument);

/// Leaves the running stack, noted in `from`, and goes on in `to`. Comes back when somebody goes on
/// in `from`. Tools that count calls and returns must not see it: one call's return is another's.
__attribute__((disable_sanitizer_instrumentation)) void switchStack(StackContext &from,
                                                                    StackContext &to);

} // namespace heddle::device::cpu
