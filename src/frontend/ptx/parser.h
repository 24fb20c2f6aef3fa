// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/declarations.h"

#include <memory>

namespace heddle::frontend::ptx {

struct Operand {
  enum Kind {
    Name, ///< a register, an operand of the asm statement (%0), a label
    Integer,
    Float,
    Vector,  ///< {a, b}
    Address, ///< [elements[0] + offset, coordinates]
    Pair,    ///< a|b
    List,    ///< (a, b)
    Sink,    ///< _
  };
  Kind kind = Sink;
  llvm::StringRef name;
  bool isNegated = false; ///< !p; of an address: the offset's name is subtracted
  bool isMinus = false;   ///< -a, which only vmad has
  /// Of a number; of a float those of a double; of an address, or a name with one, its offset.
  uint64_t bits = 0;
  bool isSingle = false; ///< a float written as 32 bits
  std::vector<Operand> elements;
  std::vector<Operand> coordinates; ///< of an address: those in a tensor or texture
  llvm::StringRef sampler;          ///< of an address: [texture, sampler, {x, y}]
};

/// One statement of PTX. All text refers to what was parsed.
struct Statement {
  enum Kind {
    Instruction,
    Declaration, ///< .reg and the other state spaces
    Label,
    Prototype, ///< label: .callprototype
    Targets,   ///< label: .branchtargets or .calltargets
    Location,  ///< .loc: file, line, column, and those of a call that was inlined there
    Open,      ///< {
    Close,     ///< }
  };
  Kind kind = Instruction;
  llvm::StringRef name; ///< opcode with modifiers, or label; of a location: of the inlined function
  uint64_t nameOffset = 0; ///< of a location: of the function's name behind the label
  llvm::StringRef guard;   ///< the predicate's name, or empty
  bool isGuardNegated = false;
  llvm::SmallVector<llvm::StringRef, 6> parts; ///< of the opcode
  llvm::SmallVector<Operand, 4> operands;
  std::vector<Variable> variables;      ///< of a declaration
  std::shared_ptr<Signature> signature; ///< of a prototype
  const char *at = nullptr;             ///< where it begins
};

/// Reads the body of a function, or a piece of one. Errors name the instruction.
llvm::Expected<std::vector<Statement>> parse(llvm::StringRef text);

} // namespace heddle::frontend::ptx
