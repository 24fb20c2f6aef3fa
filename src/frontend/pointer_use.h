// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Argument.h"

namespace heddle::frontend {

/// Whether a kernel's pointer parameter serves for nothing but loads, stores and atomics at
/// addresses counted from it, and tests for null: then nobody sees if the launch gives another
/// address in its place (ImageParam::isPointer).
bool isOnlyAccessed(const llvm::Argument &parameter);

} // namespace heddle::frontend
