// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// In short loops that read a row of memory again and again, a little further each time, shifts
/// take the place of half of the loads; see the top of slide_loads.cpp.
void slideLoads(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace heddle::jit
