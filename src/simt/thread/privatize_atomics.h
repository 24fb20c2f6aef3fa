// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Marks atomic additions to global memory that a worker may put off until it leaves the launch,
/// and says in the program of what kind they are and what must be compared at launch.
void privatizeAtomics(ThreadProgram &);

/// privatizeAtomics has marked it.
bool isDeferred(const llvm::AtomicRMWInst &);

/// All blocks add to the same places, if a thread does so once.
bool addsToSamePlaces(const llvm::AtomicRMWInst &);

} // namespace heddle::simt
