// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// Puts into `table`, a copy of the machine's, what our device images need: modules and libraries
/// made of their PTX. `machine` stays where it is.
void interceptImages(Table &table, const Table &machine);

} // namespace heddle::driver
