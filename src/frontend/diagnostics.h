// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/LLVMContext.h"

#include <string>

namespace heddle::frontend {

/// Makes `context` append its errors to `text`, a line each with `prefix` in front, instead of
/// ending the process. `text` must outlive the context's use.
void collectDiagnostics(llvm::LLVMContext &context, std::string &text, std::string prefix);

} // namespace heddle::frontend
