// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes our driver a stand-in for the driver of a GPU: a library with the driver API's names,
// which HEDDLE_GPU_DRIVER may name. So tests run on the CPU all that is made for a GPU. Under memcheck
// every touch of its device memory by host code is an error, as with a GPU.
#include "check/host_access.h"
#include "driver/gpu/device_list.h"
#include "driver/gpu/gpu_table.h"
#include "driver/launch/occupancy.h"
#include "driver/record/recorder.h"

#include <cstdlib>

const char *heddle::driver::deviceList() {
  const char *list = std::getenv("HEDDLE_STAND_IN");
  return list && *list ? list : "h200";
}

const heddle::driver::Table *heddle::driver::gpuTable() { return nullptr; }
const heddle::driver::Table &heddle::driver::recordedTable(const Table &chosen) { return chosen; }

[[maybe_unused]] static const bool isApart = [] {
  heddle::check::tellEveryHostAccess();
  if (std::getenv("HEDDLE_STAND_IN_REGISTERS"))
    heddle::driver::refuseForRegisters();
  return true;
}();
