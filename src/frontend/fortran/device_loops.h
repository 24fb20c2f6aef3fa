// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace heddle::fortran {

/// Makes branches of a device procedure's loops, and of what else is structured, as one pass.
std::unique_ptr<mlir::Pass> createDeviceLoopsPass();

} // namespace heddle::fortran
