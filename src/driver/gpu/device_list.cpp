// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/device_list.h"

#include <cstdlib>

const char *heddle::driver::deviceList() { return std::getenv("HEDDLE_DEVICE"); }
