// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::frontend::ptx {

class Emitter;

/// What an instruction does besides writing its destinations.
enum class Effects {
  None, ///< so a guarded one is computed always, and a guard selects what its destinations become
  Some,
};

/// An instruction of opcodes.def.
struct Opcode {
  llvm::StringRef name; ///< "add", "mma.sync"
  void (*lower)(Emitter &);
  Effects effects;
  unsigned words; ///< of the name
};

/// Whether PTX has instructions that begin so, known here or not.
bool isInstruction(llvm::StringRef word);
/// The longest opcode that the parts of an instruction's name begin with; null: none.
const Opcode *findOpcode(llvm::ArrayRef<llvm::StringRef> parts);

} // namespace heddle::frontend::ptx
