// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Makes of a device module, whose globals are not placed and which is not linked with the library,
/// what a GPU's compiler would have made. `gpu`: LLVM's NVPTX target. `contracts`: products and sums
/// become one operation. `optimizes` is false for -G.
void optimizeForGpu(llvm::Module &, llvm::Function &kernel, llvm::TargetMachine &gpu,
                    bool contracts, bool optimizes);

} // namespace heddle::jit
