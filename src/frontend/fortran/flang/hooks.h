// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is different in our Flang (main.cpp).
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace Fortran::frontend {
class CompilerInstance;
}

namespace heddle::fortran {

/// The compilation whose errors acceptStatements looks at.
void setCompilation(Fortran::frontend::CompilerInstance *);

/// Mends transfers that Flang's lowering writes in a form that its verifier refuses.
void mendTransfers(mlir::ModuleOp);

/// Makes the number of elements of device and shared arrays right.
void mendExtents(mlir::ModuleOp);

} // namespace heddle::fortran
