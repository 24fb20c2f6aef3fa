// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/declarations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <functional>
#include <memory>

namespace heddle::frontend::ptx {

/// What a name means: a register, an operand of an asm statement that is only read, or what has an
/// address.
struct Register {
  llvm::AllocaInst *slot = nullptr; ///< an integer; null: `value` is all it ever is
  llvm::Value *value = nullptr;     ///< of any scalar type
  unsigned bits = 0;                ///< 1: a predicate
  /// Of a variable, whose address `value` is: "global", "const", "shared", "local", "param"; of one
  /// that holds an object's handle "texref", "samplerref", "surfref"; "function" of a function;
  /// "prototype" of what only has a signature. Empty: none of them.
  llvm::StringRef space = "";
  std::shared_ptr<Signature> signature = nullptr;
  Sampler sampler = {};
};

/// The names of a function: registers and variables that PTX declares, by scope, and the carry flag.
/// Each register is a slot on the stack until promote() makes values of all.
class Registers {
public:
  explicit Registers(llvm::Function &function) : function_(function), scopes_(1) {}

  void open() { scopes_.emplace_back(); }
  /// False: the outermost scope, which stays.
  bool close();
  void closeTo(unsigned depth) { scopes_.truncate(depth); }
  unsigned depth() const { return scopes_.size(); }

  const Register *find(llvm::StringRef name) const;
  /// Where names are looked for that no scope has.
  void setOuter(std::function<const Register *(llvm::StringRef)> find) { outer_ = std::move(find); }
  /// The registers NAME.x, NAME.y, ... of a vector; none if it is no vector.
  llvm::SmallVector<llvm::StringRef, 4> elementsOf(llvm::StringRef name) const;
  /// False: the innermost scope has it.
  bool declare(llvm::IRBuilder<> &builder, llvm::StringRef name, unsigned bits);
  bool hasOuter() const { return bool(outer_); }
  bool declare(llvm::StringRef name, const Register &what) {
    return scopes_.back().try_emplace(name, what).second;
  }
  /// The operands %0, %1, ... of an asm statement, beside the scopes.
  void bindOperand(unsigned number, const Register &what) { operands_[number] = what; }
  void clearOperands() { operands_.clear(); }
  /// A slot that holds 0 at `builder`'s place.
  llvm::AllocaInst *makeSlot(llvm::IRBuilder<> &builder, unsigned bits);
  /// CC.CF (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"): clear at the start of
  /// the function, for no call keeps it.
  llvm::AllocaInst *carry();

  void promote();

private:
  llvm::AllocaInst *allocate(llvm::Type *);

  llvm::Function &function_;
  llvm::SmallVector<llvm::StringMap<Register>, 4> scopes_;
  llvm::DenseMap<unsigned, Register> operands_;
  std::function<const Register *(llvm::StringRef)> outer_;
  llvm::SmallVector<llvm::AllocaInst *, 32> slots_;
  llvm::AllocaInst *carry_ = nullptr;
};

} // namespace heddle::frontend::ptx
