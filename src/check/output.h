// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a checked process writes to.
#pragma once

#include "check/conclusion.h"
#include "check/suppressions.h"

#include <string>
#include <vector>

namespace heddle::check {

/// `heddle check` runs the program, and sums up.
bool isPartOfACheck();
/// For `heddle check`: at once.
void noteRecord(const std::string &);
/// To the log file, or stderr.
void tellText(const std::string &);
bool isColored();

/// Of --suppressions, read once.
const std::vector<Suppression> &suppressions();

} // namespace heddle::check
