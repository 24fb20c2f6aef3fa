// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not to be reported (--suppressions). A line each, "#" begins a comment:
//
//     out-of-bounds-access nbody.cu:12     a kind, and a pattern of the shell's for a place,
//     racecheck *lib/reduce.cu             a file, a function or a kernel of any of its frames
//     * initialize*                        any kind, or all of a tool
#pragma once

#include "check/finding.h"

#include "base/result.h"

#include <string>
#include <vector>

namespace heddle::check {

struct Suppression {
  std::string kind, pattern;
};

Result<std::vector<Suppression>> parseSuppressions(const std::string &text);
bool isSuppressed(const Finding &, const std::vector<Suppression> &);
/// The line that suppresses a finding and no other in other places.
std::string suppressionOf(const Finding &);

} // namespace heddle::check
