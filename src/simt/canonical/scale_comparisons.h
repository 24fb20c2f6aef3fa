// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// A power of two that all numbers in a comparison have as a factor moves into the constant that
/// they are compared with:
///
///     x = 2^-24 * float(i)                       x = float(i)
///     y = 2^-24 * float(j)                 ->    y = float(j)
///     if (x * x + y * y < 1)                     if (x * x + y * y < 2^48)
void scaleComparisons(llvm::Function &thread);

} // namespace heddle::simt
