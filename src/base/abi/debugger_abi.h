// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the contract between kernels and those that run them (base/abi/kernel_abi.h) has more for
// kernels that a debugger looks at (device/debugger.h).
#pragma once

#include "base/abi/kernel_abi.h"

namespace heddle {

/// Of KernelCode::flags, with KernelFibers: the kernel tells of each statement.
inline constexpr uint32_t KernelDebugged = 16384;

/// Launch::services points to these.
struct DebugServices {
  Services services;
  /// The running thread is about to begin the statement that the call returns to.
  void (*atStatement)(Block *);
};

} // namespace heddle
