// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle {

/// A bit in the bytes that compiled code asks Services::allocate for: a thread's own memory, by
/// alloca. It is from a heap of its own, and there is always some, or the launch ends.
inline constexpr uint64_t LocalBytes = uint64_t(1) << 63;

} // namespace heddle
