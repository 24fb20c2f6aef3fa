// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::frontend::ptx {

/// In ptxas's words, what keeps an instruction from being one of the opcode's forms: its type, a modifier
/// that its type has not, or one that it needs. Empty: nothing, or the opcode has no list. Before PTX
/// ISA 1.4, and so in old modules, nothing is needed.
std::string problemOfForm(llvm::StringRef opcode, llvm::ArrayRef<llvm::StringRef> modifiers,
                          bool isOld);

} // namespace heddle::frontend::ptx
