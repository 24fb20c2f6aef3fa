// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/kernel.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// Calls of the device library that are an instruction or a few become those; the others stay calls.
llvm::Error inlineSimpleLibrary(llvm::Module &, bool fast);

/// What a GPU's library does in such a function: operations without operands. Nothing if it is not known.
llvm::SmallVector<model::CodeOperation, 8> operationsOfLibrary(llvm::StringRef name);

} // namespace heddle::jit
