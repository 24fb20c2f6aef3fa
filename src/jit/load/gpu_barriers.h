// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// mbarriers, tensor copies and a block's barrier in two pieces as the instructions of a GPU of this
/// compute capability (90 for 9.0), where it has them. Before the device library is linked.
llvm::Error useGpuBarriers(llvm::Module &module, unsigned capability);

} // namespace heddle::jit
