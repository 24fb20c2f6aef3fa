// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// How many processors this process may use: what its affinity allows, or fewer if the quota of its
/// control group or of one around it is less. At least 1.
unsigned usableProcessors();

/// The quota alone, rounded up; 0 if there is none. `root` stands before /proc and /sys, for tests.
unsigned processorQuota(const std::string &root = "");

} // namespace heddle
