// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// Put into `table`, a copy of the machine's, what our device images need: libraries and modules made of
/// their PTX.
void interceptLibraries(Table &table);
void interceptModules(Table &table);

} // namespace heddle::driver
