// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// Names the CPU this process runs on and the instruction sets that the operating system lets it
/// use: compiled code is shared only between machines with equal names. The same for all cores and
/// for the life of the machine. Computed once.
const std::string &cpuIdentity();

/// The same, computed on the core that asks.
std::string identifyCpu();

} // namespace heddle
