// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace heddle::fortran {

/// Takes the loops out of a body of several blocks, which then is one iteration. Reports loops of
/// an unknown form.
mlir::LogicalResult keepOneIteration(cuf::KernelOp loops);

} // namespace heddle::fortran
