// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Gives __heddle_mbarrier_change (include/heddle/device_mbarrier.h says what it does, and what the
/// 64 bits of an mbarrier object are) a body where the module calls it: the headers do, and so may
/// what reads PTX.
void defineBarrierChange(llvm::Module &);

} // namespace heddle::simt
