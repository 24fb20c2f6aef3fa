// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/locations.h"
#include "simt/simt.h"

namespace heddle::simt {

using frontend::errorAt;
using frontend::location;
using frontend::userLocation;

/// Rewrites the NVVM intrinsics that have a plain meaning for one thread (arithmetic, conversions,
/// atomics, memory fences, address space queries) to LLVM's generic instructions. Those of lanes,
/// warps and barriers stay. Fails on one that is not supported, naming it.
llvm::Error lowerNvvm(llvm::Function &, const Options &, bool hasHalves);

/// Products and sums become one operation where CUDA allows it, as lowerNvvm does.
void contractProducts(llvm::Function &);

/// The function adds, multiplies, ... doubles.
bool computesInDouble(const llvm::Function &);
/// -ftz=true where the processor's mode cannot do it because doubles keep their denormals: every
/// operand and result of float arithmetic that is denormal becomes a zero of its sign.
void flushDenormals(llvm::Function &);

} // namespace heddle::simt
