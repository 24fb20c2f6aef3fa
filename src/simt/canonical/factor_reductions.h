// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// A constant that all addends of a loop's sums have as a factor is multiplied with the sums behind
/// the loop, where the program allows another order (-ffast-math):
///
///     for (...) {                        for (...) {
///       f = 1.5 * m * g;                   f = m * g;
///       x += dx * f;              ->       x += dx * f;
///       y += dy * f;                       y += dy * f;
///     }                                  }
///                                        x = 1.5 * x;  y = 1.5 * y;
void factorReductions(llvm::Function &thread);

} // namespace heddle::simt
