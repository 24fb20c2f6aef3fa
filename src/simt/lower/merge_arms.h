// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// For code without checks: no arm keeps its lines any more (frontend/own_lines), and, if `merges`,
/// accesses of arms become one as LLVM does it.
void mergeArms(llvm::Module &, llvm::TargetMachine &, bool merges);

} // namespace heddle::simt
