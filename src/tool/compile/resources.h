// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/architecture.h"
#include "tool/options/options.h"

#include <string>

namespace heddle::tool {

/// -Xptxas -v or -res-usage.
bool wantsResources(const Options &);

/// What each kernel of a device image uses, line for line as ptxas prints it, for each machine code
/// that the architecture becomes, with a warning where -maxrregcount is less than ptxas takes.
/// Registers are an estimate; those above the limit are spilled.
std::string resourceReport(const std::string &image, const Architecture &, uint32_t maxRegisters);

} // namespace heddle::tool
