// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace heddle::fortran {

/// Takes the loops out of a body of several blocks, which then is one iteration of the outermost
/// loops, whose number it returns: warns of a loop that branches leave, which stays in the body with
/// those inside. Reports loops of an unknown form.
mlir::FailureOr<unsigned> keepOneIteration(cuf::KernelOp loops);

} // namespace heddle::fortran
