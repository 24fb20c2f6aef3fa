// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other forms of a kernel than the one that the compiler has chosen: which, when they are compiled,
// and what is kept of them. What measures them is device/kernel_forms.h.
#pragma once

#include "driver/modules/module.h"

#include "device/device.h"

namespace heddle::driver {

/// HEDDLE_TUNE: off, on, or full, which measures all forms from the first launch on, whatever it
/// costs.
enum class Tuning { Off, On, Full };
Tuning tuning();

/// What measures the forms of a kernel that the compiler has chosen the width of; null where
/// nothing is to be measured.
TunedKernel *tune(Compiled &);

/// The best form that is known for a launch of this size, and what measures others. `request` has
/// the compiler's form, grid and parameters.
void chooseForm(Compiled &, device::LaunchRequest &request);

} // namespace heddle::driver
