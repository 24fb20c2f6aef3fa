// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::frontend::ptx {

/// What a text's instructions may be.
struct Dialect {
  bool isOld = false;     ///< of PTX ISA 1.3 or before, which had defaults for roundings
  unsigned sm = 0;        ///< 90: of a module for sm_90; 0: not known
  llvm::StringRef target; ///< 90a: of a module for sm_90a
  unsigned version = 0;   ///< 80: of a module of version 8.0
};

/// In ptxas's words, what keeps an instruction from being one of the opcode's forms: its type, a modifier
/// that its type has not, or one that it needs. Empty: nothing, or the opcode has no list.
std::string problemOfForm(llvm::StringRef opcode, llvm::ArrayRef<llvm::StringRef> modifiers,
                          const Dialect &);

} // namespace heddle::frontend::ptx
