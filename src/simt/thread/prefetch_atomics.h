// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Fetches the cache lines on which later blocks will do atomic operations, where their addresses
/// follow from what a thread loads.
void prefetchAtomics(const ThreadProgram &, const Options &);

} // namespace heddle::simt
