// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle::jit {

/// Managed variables become pointers to where the host has them, which who loads the code sets.
llvm::Error pointToManaged(llvm::Module &);

/// Constant memory becomes global memory: `variable` goes. Fails where something else than addresses uses it.
llvm::Expected<llvm::GlobalVariable *> leaveConstantSpace(llvm::GlobalVariable &variable);

/// One kernel alone, for blocks of up to `threads`, with the variables of another text of the same module.
/// `notes` gets a line for each pointer (base/abi/gpu_notes.h).
llvm::Error keepKernel(llvm::Module &, llvm::StringRef kernel, unsigned threads,
                       std::string &notes);

} // namespace heddle::jit
