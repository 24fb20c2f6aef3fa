// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace heddle::driver {

/// What the `cpu` device tells of the machine it runs on.
struct HostMachine {
  std::string name;   ///< the processor's model, or the architecture's name
  int processors;     ///< that this process may use
  int clockKhz;       ///< highest known clock; 0 if unknown
  size_t memoryBytes; ///< physical, or the control group's limit if that is less
  int cacheBytes;     ///< last-level cache
};

HostMachine describeHostMachine();

} // namespace heddle::driver
