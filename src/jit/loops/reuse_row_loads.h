// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// In short loops that add up products of a row of memory, a little further each time, registers of
/// the row are loaded once for all products that they are in; see the top of reuse_row_loads.cpp.
void reuseRowLoads(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace heddle::jit
