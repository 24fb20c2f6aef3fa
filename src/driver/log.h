// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver has told on stderr, for programs that ask for it (cuLogs*).
#pragma once

#include "heddle/driver_types.h"

#include <string_view>

namespace heddle::driver {

/// Keeps a line and passes it to the program's functions.
void noteInLog(std::string_view line);

} // namespace heddle::driver
