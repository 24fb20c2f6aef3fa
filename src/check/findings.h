// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/finding.h"
#include "check/reports.h"

namespace heddle::check {

/// Notes an error. It is told when the launch is over, or at once if host code did it.
/// How many there were so far.
uint64_t notedFindings();
void note(Finding);
/// A launch is over: what was found gets its order and its record. From any thread; brief.
void settleFindings();
/// Tells what is settled. On a thread of the program's, in a call of the API.
void tellFindings();
bool hasFindingsToTell();
/// The end of the program: tells the rest, and, once, how many errors there were.
void summarize();

} // namespace heddle::check
