// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Pass/Pass.h"

#include "llvm/IR/Module.h"

#include <memory>

namespace heddle::fortran {

/// Makes products of powers with small constant exponents, which may be contracted as the powers
/// may.
std::unique_ptr<mlir::Pass> createPowersPass();

/// Of sums and differences of two products the right one is contracted, where that is allowed. Before
/// anything moves operands.
void fuseRightProducts(llvm::Module &device);

} // namespace heddle::fortran
