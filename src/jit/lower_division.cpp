// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No CPU divides vectors of integers. LLVM takes them apart: 32 divisions, 64 extractions, 32
// insertions, for each `x % n`. In floating point they stay vectors:
//
//   %q = sdiv <32 x i32> %a, %b    ->    %x = sitofp %a to <32 x double>
//                                        %y = sitofp %b to <32 x double>
//                                        %q = fptosi (fdiv %x, %y) to <32 x i32>
//   %r = srem <32 x i32> %a, %b    ->    %r = sub %a, (mul %q, %b)
//
// That is exact. Let a = q b + r. Operands of p bits are exact in a type of P bits of precision.
// The quotient a / b is either the integer q or, for r != 0, at least 1/|b| away from the next
// integer up, relative to which that is 1 / |b (q+1)| > 2^-(p+1). Rounding moves the quotient by at
// most 2^-P of itself, and never over a number that can be represented. So with p + 1 < P
// truncation gives q: double (P = 53) for up to 32 bits, float (P = 24) for up to 16.
//
// It runs after the optimisation, which knows more about integer division. A constant divisor is
// left to the back end: it multiplies.
#include "jit/lower_division.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

bool isDivision(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return isa<FixedVectorType>(instruction.getType()) &&
           instruction.getType()->getScalarSizeInBits() <= 32 &&
           !isa<Constant>(instruction.getOperand(1));
  default:
    return false;
  }
}

void lower(Instruction &division) {
  IRBuilder<> builder(&division);
  Type *type = division.getType();
  unsigned opcode = division.getOpcode(), bits = type->getScalarSizeInBits();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  bool isRemainder = opcode == Instruction::SRem || opcode == Instruction::URem;
  // Conversions are from and to 32 bits: the only ones that all vector units have.
  Type *word = type->getWithNewBitWidth(32);
  Type *real = word->getWithNewType(bits > 16 ? builder.getDoubleTy() : builder.getFloatTy());
  bool asSigned = isSigned || bits < 32; // a conversion of signed words will do
  auto convert = [&](Value *value) {
    value = isSigned ? builder.CreateSExt(value, word) : builder.CreateZExt(value, word);
    return asSigned ? builder.CreateSIToFP(value, real) : builder.CreateUIToFP(value, real);
  };
  Value *left = division.getOperand(0), *right = division.getOperand(1);
  Value *ratio = builder.CreateFDiv(convert(left), convert(right));
  Value *quotient =
      asSigned ? builder.CreateFPToSI(ratio, word) : builder.CreateFPToUI(ratio, word);
  quotient = builder.CreateTrunc(quotient, type);
  Value *result =
      isRemainder ? builder.CreateSub(left, builder.CreateMul(quotient, right)) : quotient;
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

} // namespace

void lowerDivision(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (isDivision(instruction))
        lower(instruction);
}

} // namespace heddle::jit
