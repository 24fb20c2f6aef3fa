// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Sums that a loop writes to memory in each iteration are written once, behind it; and what a
/// thread reads of a row of its own that it has just written is read from a copy in which the
/// threads' elements lie side by side. The copy lies behind the kernel's static shared memory.
///
///     for (k = 0; k < x; ++k)                     sum = tile[t][x];
///       tile[t][x] -= tile[t][k] * a[k];    ->    for (k = 0; k < x; ++k)
///                                                   sum -= copy[k][t] * a[k];
///                                                 tile[t][x] = copy[x][t] = sum;
void transposeThreadRows(ThreadProgram &, const Options &);

} // namespace heddle::simt
