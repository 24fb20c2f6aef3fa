// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async in the thread program: a copy that is done at once, and notes for racecheck.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace heddle::simt {

/// __heddle_async_note(to, step, number): behind a copy that a thread begins, of `number` bytes; a
/// group of copies ends; the thread waits for all but the last `number` groups, or, if that is ~0, for
/// all copies. lower-device takes it away where racecheck does not ask.
inline constexpr llvm::StringLiteral AsyncNoteName = "__heddle_async_note";
enum class AsyncStep : uint32_t { Begins, Commits, Waits };

} // namespace heddle::simt
