// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::frontend::ptx {

struct Operand {
  enum Kind {
    Name, ///< a register, an operand of the asm statement (%0), a label
    Integer,
    Float,
    Vector,  ///< {a, b}
    Address, ///< [elements[0] + offset, coordinates]
    Pair,    ///< a|b
    Sink,    ///< _
  };
  Kind kind = Sink;
  llvm::StringRef name;
  bool isNegated = false; ///< !p; of an address: the offset's name is subtracted
  bool isMinus = false;   ///< -a, which only vmad has
  uint64_t bits = 0;      ///< of a number; of a float those of a double; of an address its offset
  bool isSingle = false;  ///< a float written as 32 bits
  std::vector<Operand> elements;
  std::vector<Operand> coordinates; ///< of an address: those in a tensor or texture
};

/// One statement of PTX. All text refers to what was parsed.
struct Statement {
  enum Kind {
    Instruction,
    Declaration, ///< .reg
    Label,
    Open,  ///< {
    Close, ///< }
  };
  Kind kind = Instruction;
  llvm::StringRef name;  ///< opcode with modifiers, or label
  llvm::StringRef guard; ///< the predicate's name, or empty
  bool isGuardNegated = false;
  llvm::SmallVector<llvm::StringRef, 6> parts; ///< of the opcode, or types of a declaration
  llvm::SmallVector<Operand, 4> operands;      ///< of a declaration: `bits` registers r<bits>
};

/// Reads the body of a function, or a piece of one. Errors name the instruction, and so does one
/// for an instruction that opcodes.def does not have.
llvm::Expected<std::vector<Statement>> parse(llvm::StringRef text);

} // namespace heddle::frontend::ptx
