// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// In a block that is one program, loads of shared memory that stays in memory take what was stored
/// there from the registers that it was stored from; see the top of forward_shared_stores.cpp.
void forwardSharedStores(llvm::Module &, llvm::TargetMachine &, unsigned staticBytes);

} // namespace heddle::simt
