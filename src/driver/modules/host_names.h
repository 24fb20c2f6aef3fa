// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Until the runtime's functions for graphs are translations (runtime/driver.h): what these bodies are
// given, and give, as host code names it.
#pragma once

#include "heddle/driver_api_types.h"

#include <cstddef>

namespace heddle::driver {

struct HostNames {
  CUfunction (*kernelOf)(const void *stub) = nullptr;
  const void *(*stubOf)(CUfunction) = nullptr;
  CUresult (*findReference)(const void *reference, CUdeviceptr &, bool &readsNormalized) = nullptr;
  CUresult (*findSymbol)(const void *symbol, CUdeviceptr &, size_t &bytes) = nullptr;
};
inline HostNames hostNames;

} // namespace heddle::driver
