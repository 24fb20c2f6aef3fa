// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions that opcodes.def names are written with: the modifiers, operands and results
// of one instruction. A function takes the modifiers that it knows; one that nobody took is an
// error, and so is an operand that nobody asked for, so nothing of an instruction is passed over. The first error of an instruction stays, and
// values go on being made, which nobody uses.
#pragma once

#include "frontend/ptx/opcodes.h"
#include "frontend/ptx/parser.h"
#include "frontend/ptx/registers.h"
#include "frontend/ptx/types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::frontend::ptx {

class Emitter {
public:
  Emitter(llvm::IRBuilder<> &builder, Registers &registers, const Statement &statement,
          const Opcode &opcode, llvm::Value *guard);

  llvm::IRBuilder<> &b;

  /// The first word of the opcode.
  llvm::StringRef opcode() const { return statement_.parts.front(); }
  /// Word i of it: "load" is word 1 of "wmma.load.a".
  llvm::StringRef word(unsigned i) const { return statement_.parts[i]; }
  /// "'add.foo': message". The first stays.
  void fail(const llvm::Twine &message);
  /// The error of a modifier that is not supported.
  void refuse(llvm::StringRef modifier);
  /// In ptxas's words, that there are other operands than the instruction has.
  void refuseOperands();
  /// After the instruction: its first error, or that of a modifier that nobody took or an operand
  /// that nobody looked at.
  llvm::Error finish();

  // Modifiers.
  bool take(llvm::StringRef modifier);
  bool has(llvm::StringRef modifier) const { return llvm::is_contained(modifiers_, modifier); }
  /// Whichever is there, or "".
  llvm::StringRef takeOneOf(llvm::ArrayRef<llvm::StringRef> modifiers);
  /// The next type; u32 and an error where there is none.
  PtxType takeType();
  PtxType takeWordType(); ///< u32 or s32
  /// An integer of 16 to 64 bits, or a pair; u32 and an error where there is none.
  PtxType takeInteger(bool mayBePair = false);
  std::optional<PtxType> takeTypeIf();
  std::optional<PtxType> peekType() const;
  /// The next that begins so, or "".
  llvm::StringRef takePrefixed(llvm::StringRef prefix);
  void failUnless(bool isRight, const llvm::Twine &message) {
    if (!isRight)
      fail(message);
  }

  // Operands.
  unsigned count() const { return statement_.operands.size(); }
  const Operand &operand(unsigned i);
  /// What a name means; null: nothing that is known, or no name.
  const Register *find(const Operand &) const;
  /// As a value of the type's IR type. A register of another size is an error.
  llvm::Value *read(unsigned i, const PtxType &type) { return read(operand(i), type); }
  llvm::Value *read(const Operand &, const PtxType &type);
  /// The same, where a wider register gives its low bits (ld, st, cvt: PTX ISA, "Operand Size
  /// Exceeding Instruction-Type Size").
  llvm::Value *readLow(const Operand &, const PtxType &type);
  llvm::Value *bits(unsigned i, unsigned width);
  /// With the negation that stands before it.
  llvm::Value *predicate(unsigned i) { return predicate(operand(i)); }
  llvm::Value *predicate(const Operand &);
  bool isPredicate(const Operand &) const;
  /// A number known at compile time; an error and 0 otherwise.
  int64_t constant(unsigned i);
  std::optional<int64_t> constantIf(const Operand &);
  /// "%1.h0": the operand without what is chosen of it, and that, "h0"; "" where nothing is.
  std::pair<Operand, llvm::StringRef> selected(unsigned i);
  /// The elements of a vector, or the operand alone.
  llvm::SmallVector<Operand, 8> elements(unsigned i) { return elements(operand(i)); }
  llvm::SmallVector<Operand, 8> elements(const Operand &);

  /// `value`, of any scalar type, in a register of its size.
  void write(unsigned i, llvm::Value *value) { write(operand(i), value); }
  void write(const Operand &, llvm::Value *value);
  /// In a register that may be wider.
  void writeExtended(const Operand &, llvm::Value *value, bool isSigned);

  llvm::Value *carry();
  void setCarry(llvm::Value *);

  /// The pointer that an address operand means in a state space: "" is generic, "shared",
  /// "shared::cluster", "global", "const", "local".
  llvm::Value *address(unsigned i, llvm::StringRef space);
  llvm::Value *sharedMemory();

  /// Whether a whole module is read, and not an asm statement.
  bool isOfModule() const { return registers_.hasOuter(); }

  // Short cuts.
  llvm::LLVMContext &context() { return b.getContext(); }
  llvm::Type *ir(const PtxType &type) { return type.ir(context()); }
  llvm::Value *number(uint64_t n, unsigned width = 32) {
    return llvm::ConstantInt::get(b.getIntNTy(width), n, /*IsSigned=*/false,
                                  /*ImplicitTrunc=*/true);
  }
  /// A call of a device library function.
  llvm::Value *library(const llvm::Twine &name, llvm::Type *result,
                       llvm::ArrayRef<llvm::Value *> arguments, bool readsNothing = true);
  /// The integer with the same bits.
  llvm::Value *asBits(llvm::Value *);
  /// `value`, an integer of its size or of the type itself, as the type's IR type.
  llvm::Value *asType(llvm::Value *value, const PtxType &type);
  /// For packed types: `combine` on each element.
  llvm::Value *eachElement(const PtxType &type, llvm::ArrayRef<llvm::Value *> operands,
                           llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)>);
  llvm::SmallVector<llvm::Value *, 2> split(llvm::Value *packed, const PtxType &element);
  llvm::Value *join(llvm::ArrayRef<llvm::Value *> elements);
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments) {
    return b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), arguments);
  }

  /// Of a variable; the object of a reference.
  llvm::Value *addressOf(const Register &variable);

private:
  llvm::Value *clusterAddress(llvm::Value *);
  llvm::Value *readRegister(const Operand &);
  llvm::Value *specialRegister(llvm::StringRef name);
  llvm::Value *environment(llvm::StringRef number);
  llvm::Value *performanceCounter(llvm::StringRef number);
  llvm::Value *multiprocessorCount();
  llvm::Value *reservedOffset(llvm::StringRef which);
  llvm::Value *literal(const Operand &, const PtxType &type);

  Registers &registers_;
  const Statement &statement_;
  llvm::SmallVector<llvm::StringRef, 6> modifiers_; ///< that nobody took yet
  llvm::Value *guard_;
  const bool onlyComputes_;
  llvm::SmallBitVector seen_; ///< the operands that were asked for
  std::string error_;
};

} // namespace heddle::frontend::ptx
