// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// The table that programs get in the place of `chosen`: itself, or, where HEDDLE_SAVE_LAUNCH or
/// HEDDLE_DIFF_CHANNEL asks for launches, one that takes them down in front of it. Chosen once.
const Table &recordedTable(const Table &chosen);

} // namespace heddle::driver
