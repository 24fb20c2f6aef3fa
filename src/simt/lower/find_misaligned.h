// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Finds the accesses whose addresses may be misaligned, which a GPU reports
/// (cudaErrorMisalignedAddress), and puts `heddle.aligned(address, bytes)` (intrinsics.h) in front
/// of those that must look. Where the address is a kernel's parameter and multiples of the
/// alignment, the parameter is to be looked at when the kernel is launched
/// (ThreadProgram::alignedParams) and nothing is marked, unless `everywhere`.
void findMisaligned(ThreadProgram &, bool everywhere);

} // namespace heddle::simt
