// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/finding.h"

namespace heddle::check {

/// Notes an error. It is told when the launch is over, or at once if host code did it.
void note(Finding);
/// Tells what was found and not told yet.
void tellFindings();
/// The end of the program: tells the rest, and how many errors there were.
void summarize();

/// As a person reads it, with lines that begin with "========= ".
std::string textOf(const Finding &);
/// A line of a source file, without blanks at its ends; empty if it cannot be read.
std::string sourceLine(const std::string &file, uint32_t line);

} // namespace heddle::check
