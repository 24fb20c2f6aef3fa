// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// The functions of a GPU's driver, with our device images read; null: HEDDLE_DEVICE asks for no GPU.
/// Chosen once.
const Table *gpuTable();

} // namespace heddle::driver
