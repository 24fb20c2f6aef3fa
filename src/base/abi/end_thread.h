// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// Device code calls this to end its thread: void(), without a return.
inline constexpr char EndThreadName[] = "__heddle_end_thread";

} // namespace heddle
