// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Counters that a block keeps for each of its warps, to add them up afterwards, become one set,
/// and one thread goes through what all have counted. True if the program changed: it gains most if
/// one program holds the block.
bool mergeWarpCounters(llvm::Module &, ThreadProgram &, const Options &, llvm::TargetMachine &);

} // namespace heddle::simt
