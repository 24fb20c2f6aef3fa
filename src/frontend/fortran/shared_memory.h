// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace heddle::fortran {

/// Gives static shared variables memory of their own where there are dynamic ones, and brings these
/// into the order of their declarations. On the gpu.module, before Flang's pass over shared memory.
void arrangeSharedMemory(mlir::ModuleOp module);

} // namespace heddle::fortran
