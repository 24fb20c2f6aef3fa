// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/checks.h"

namespace heddle::check {

/// A copy or a fill of the API accesses memory: compared with kernels that nothing orders with it.
void raceOfCopy(const void *operation, const device::TouchedRows &);

/// Tells of races between copies.
void tellCopyRaces();

} // namespace heddle::check
