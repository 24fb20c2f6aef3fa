// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Dialect/CUF/Attributes/CUFAttr.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace heddle::fortran {

/// The attribute of what a value is or is a part of (waits.cpp).
std::optional<cuf::DataAttribute> attributeOf(mlir::Value, const DeviceNames &);

/// Makes calls of defined assignments of variables on the device. Before sections with gaps are
/// copied.
void callAssignments(mlir::ModuleOp, const DeviceNames &);

} // namespace heddle::fortran
