// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Marks atomic additions to global memory that a worker may put off until it leaves the launch
/// (DeferredAddition in pass_notes.h), and says in the program of what kind they are and what must
/// be compared at launch.
void privatizeAtomics(ThreadProgram &);

} // namespace heddle::simt
