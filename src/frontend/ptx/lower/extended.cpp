// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products with a carry (PTX ISA, "Extended-Precision Integer Arithmetic Instructions").
// The flag is that of a + ~b + 1: a subtraction clears it if it borrows, and subc takes one away if it
// is clear. nvcc's division of 128 bits asks for it with addc behind a subc.cc.
#include "frontend/ptx/emitter.h"
#include "frontend/ptx/float_emitter.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// a + b + carry or a - b - borrow; by comparisons, which vectors have.
Value *sum(Emitter &e, bool isSubtraction, Value *a, Value *b, Value *carryIn, bool setsCarry) {
  IRBuilder<> &builder = e.b;
  Value *first = isSubtraction ? builder.CreateSub(a, b) : builder.CreateAdd(a, b);
  Value *over = isSubtraction ? builder.CreateICmpULT(a, b) : builder.CreateICmpULT(first, a);
  Value *result = first;
  if (carryIn) {
    Value *one =
        builder.CreateZExt(isSubtraction ? builder.CreateNot(carryIn) : carryIn, a->getType());
    result = isSubtraction ? builder.CreateSub(first, one) : builder.CreateAdd(first, one);
    Value *again =
        isSubtraction ? builder.CreateICmpULT(first, one) : builder.CreateICmpULT(result, first);
    over = builder.CreateOr(over, again);
  }
  if (setsCarry)
    e.setCarry(isSubtraction ? builder.CreateNot(over) : over);
  return result;
}

void emitProduct(Emitter &e, bool takesCarry, bool setsCarry) {
  StringRef part = e.takeOneOf({"lo", "hi"});
  e.failUnless(!part.empty(), "expected .lo or .hi");
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type), *b = e.read(2, type), *product;
  if (part == "hi") {
    Type *wide = e.b.getIntNTy(2 * type.bits());
    Value *whole = e.b.CreateMul(e.b.CreateIntCast(a, wide, type.isSigned()),
                                 e.b.CreateIntCast(b, wide, type.isSigned()));
    product = e.b.CreateTrunc(e.b.CreateLShr(whole, type.bits()), e.ir(type));
  } else {
    product = e.b.CreateMul(a, b);
  }
  e.write(0, sum(e, false, product, e.read(3, type), takesCarry ? e.carry() : nullptr, setsCarry));
}

} // namespace

void emitCarrySum(Emitter &e) {
  PtxType type = e.takeInteger();
  e.write(0, sum(e, e.opcode() == "sub", e.read(1, type), e.read(2, type), nullptr, true));
}

void emitCarryProduct(Emitter &e) { emitProduct(e, false, true); }

void lowerAddc(Emitter &e) {
  bool setsCarry = e.take("cc");
  PtxType type = e.takeInteger();
  e.write(0, sum(e, e.opcode() == "subc", e.read(1, type), e.read(2, type), e.carry(), setsCarry));
}

void lowerMadc(Emitter &e) { emitProduct(e, true, e.take("cc")); }

} // namespace heddle::frontend::ptx
