// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

#include <string>

namespace heddle::driver {

/// HEDDLE_DEVICE has GPUs of the machine and boards on the CPU (`gpu,cpu`, `h200,gpu:1`).
bool isMixed(const char *list);
/// The boards of the list, for our own driver.
std::string boardsOf(const char *list);

/// One driver of both, in the order of the list: each call goes to the driver of the device, the
/// context or the handle that it names, else to that of the thread's current context.
const Table *mixedTable(const Table &gpu, const char *list);

/// Of a mixed table: whether a CUDA device is a GPU.
bool isGpuDevice(int device);

} // namespace heddle::driver
