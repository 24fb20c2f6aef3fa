// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/device_list.h"

#include "driver/gpu/mixed_table.h"

#include <cstdlib>

const char *heddle::driver::deviceList() {
  const char *list = std::getenv("HEDDLE_DEVICE");
  if (!isMixed(list))
    return list;
  static const std::string boards = boardsOf(list);
  return boards.c_str();
}
