// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Until the runtime's functions for references are translations (runtime/driver.h): what their bodies
// are given, as host code names it.
#pragma once

#include "heddle/driver_api_types.h"

#include <cstddef>

namespace heddle::driver {

struct HostNames {
  CUresult (*findReference)(const void *reference, CUdeviceptr &, bool &readsNormalized) = nullptr;
};
inline HostNames hostNames;

} // namespace heddle::driver
