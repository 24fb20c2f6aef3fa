// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::driver {

/// HEDDLE_DEVICE, or, where that is not set, the first word of the file `heddle.device` beside this
/// library: the default of an installation. Null: neither.
const char *askedDevices();

/// The boards of this driver's machine: what `askedDevices` says. In the stand-in for a GPU's driver,
/// which lies below another one in the same process, what HEDDLE_STAND_IN says (gpu/stand_in.cpp).
const char *deviceList();

} // namespace heddle::driver
