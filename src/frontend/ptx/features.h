// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/forms.h"

namespace heddle::frontend::ptx {

/// In ptxas's words, that a module's target or version has no such instruction, which is also given
/// word by word. Empty: it has it, or the module says no target.
std::string problemOfFeature(llvm::ArrayRef<llvm::StringRef> words, llvm::StringRef instruction,
                             const Dialect &);

} // namespace heddle::frontend::ptx
