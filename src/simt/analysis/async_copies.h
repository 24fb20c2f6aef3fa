// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async and cp.async.bulk in the thread program: copies that are done at once, and notes for
// racecheck.
#pragma once

#include "base/abi/async_step.h"

#include "llvm/ADT/StringRef.h"

namespace heddle::simt {

/// __heddle_async_note(to, step, number): behind a copy that a thread begins, of `number` bytes; a
/// group of copies ends; the thread waits for all but the last `number` groups, or, if that is ~0, for
/// all copies. Likewise of bulk copies that read shared memory at `to`, and their groups; of those
/// that write there, behind a note of the mbarrier (`to`) that is told of their end. lower-device takes
/// it away where racecheck does not ask.
inline constexpr llvm::StringLiteral AsyncNoteName = "__heddle_async_note";

} // namespace heddle::simt
