// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// Accesses to surfaces as calls of a GPU's device library. Before that is linked.
llvm::Error useGpuSurfaces(llvm::Module &module);

} // namespace heddle::jit
