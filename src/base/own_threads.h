// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/prctl.h>

namespace heddle {

/// What debuggers and /proc call threads of ours: a program's own are told apart by it.
inline constexpr char OwnThreadName[] = "heddle-thread";
inline void nameOwnThread() { prctl(PR_SET_NAME, OwnThreadName); }

} // namespace heddle
