// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.h"

#include <string>

namespace heddle {
struct Launch;
}

namespace heddle::device {

/// The first launch of a checked program that has lost its device.
struct LostLaunch {
  Fault fault = Fault::None; ///< None: there was none
  std::string kernel;
  uint32_t origin = 0; ///< LaunchRequest::origin; 0: not checked code
};
LostLaunch lostLaunch();
/// Its blocks have not come to their ends: one has faulted, or they wait for ever.
bool isCutOff(const Launch *);

namespace cpu {
struct Op;
void noteLost(const Op &, Fault);
} // namespace cpu

} // namespace heddle::device
