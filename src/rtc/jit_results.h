// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "jit/jit.h"

#include <functional>
#include <string>

namespace heddle::rtc {

/// A result of libheddle_jit.so, which is freed.
Result<std::string> taken(HeddleJitResult);

inline const uint8_t *bytesOf(const std::string &text) {
  return reinterpret_cast<const uint8_t *>(text.data());
}

/// Runs `action` on a thread with a large stack: clang recurses, and a caller's stack may be small. Gives
/// LLVM's words if it ended with a fatal error, else "".
std::string runGuarded(const std::function<void()> &action);

} // namespace heddle::rtc
