// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/options.h"

#include <string>

namespace heddle::driver {

/// -Xptxas -v or -res-usage.
bool wantsResources(const Options &);

/// What each kernel of a device image uses, line for line as ptxas prints it. Registers are an
/// estimate; there are no spills and no constant bank for parameters, so those read zero or the
/// parameters' size.
std::string resourceReport(const std::string &image, unsigned sm);

} // namespace heddle::driver
