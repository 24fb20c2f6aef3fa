// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/kernel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle::jit {

/// What a `.loc` line of the text means: an instruction of the IR.
struct CodePlace {
  uint32_t block = model::None, access = model::None, line = model::None;
};

/// Reads the text that LLVM's back end has written of a numbered module into `code`, which has blocks,
/// successors, accesses and lines: operations and registers. `places`: by line of `.loc`, from 1 on.
/// What cannot be told where it belongs stands in KernelCode::notes. Fails where the text is no PTX.
llvm::Error readCode(llvm::StringRef ptx, llvm::ArrayRef<CodePlace> places,
                     model::KernelCode &code);

} // namespace heddle::jit
