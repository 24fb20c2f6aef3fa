// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/count/number.h"

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Has LLVM's back end write PTX of a copy of the numbered module, and reads the operations of each
/// block from it into `code`.
llvm::Error takeOperations(const llvm::Module &, const Numbering &, llvm::TargetMachine &gpu,
                           uint32_t compileOptions, model::KernelCode &code);

} // namespace heddle::jit
