// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace heddle::fortran {

/// Moves what the body computes of the host's descriptors and structures, and does not change, in
/// front of the loops.
void hoistInvariants(cuf::KernelOp loops);

/// True for memory that a kernel can use: its variable has one of CUDA's attributes, or it is that
/// of a component.
bool isOnDevice(mlir::Value);

} // namespace heddle::fortran
