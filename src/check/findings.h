// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/finding.h"
#include "check/reports.h"

namespace heddle::check {

/// Notes an error. It is told when the launch is over, or at once if host code did it.
void note(Finding);
/// Tells what was found and not told yet.
void tellFindings();
/// The end of the program: tells the rest, and how many errors there were.
void summarize();

} // namespace heddle::check
