// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <vector>

struct HeddleCompileRequest;

namespace heddle::driver {

/// As jitCompile, in a process of its own, `heddle-form`, of a lower priority. The calling thread
/// waits for it. `objects`: how many numbers the request has. `processorTime`: what it took.
Result<std::vector<uint8_t>> compileElsewhere(const HeddleCompileRequest &, size_t objects,
                                              std::chrono::nanoseconds &processorTime);

/// Ends the one that runs, and lets no other one begin: the program ends.
void stopCompilingElsewhere();
bool isCompilingStopped();

} // namespace heddle::driver
