// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands at the end of a check: the sum, and the files that the options ask for.
#pragma once

#include "check/finding.h"

#include "base/check_options.h"
#include "base/result.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace heddle::check {

bool wantsColor(const CheckOptions &);

/// Tells the sum of a program's findings and writes the files. `process`: which stands in the log
/// file's name.
void conclude(const CheckOptions &, const std::vector<Finding> &, pid_t process);

} // namespace heddle::check
