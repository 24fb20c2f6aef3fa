// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half and bfloat16 arithmetic on processors that have none. LLVM would do it too, but call a
// library function for each conversion to bfloat16, round an fma of halves twice, and keep the
// payloads of NaNs.
//
// Sums, differences, products and quotients of float are rounded twice without harm: float has more
// than twice the digits and two (S. Figueroa, "When is double rounding innocuous?"). An fma is
// rounded to odd first (cut off, with the last bit set if that lost anything), then to the type (S.
// Boldo and G. Melquiond, "When double rounding is odd"). The product of two halves is exact in
// float, that of two bfloat16 in double; what the addition after it loses is found by Knuth's
// two-sum.
//
// Legality (native-halves): none: both forms are rounded right: what is computed in float is
// rounded twice without harm, or to odd first.
#include "simt/lower/lower_small_floats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool isSmallFloat(const Type *type) {
  return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

class SmallFloats {
public:
  SmallFloats(Instruction &instruction, bool hasHalves)
      : instruction_(instruction), builder_(&instruction),
        isNative_(hasHalves && instruction.getType()->getScalarType()->isHalfTy()) {}

  /// Null: nothing to do.
  Value *lower() {
    if (isa<FPExtInst>(instruction_) || isa<FPTruncInst>(instruction_))
      return convert();
    auto operand = [&](unsigned i) { return instruction_.getOperand(i); };
    if (auto *comparison = dyn_cast<FCmpInst>(&instruction_);
        comparison && operand(0)->getType()->getScalarType()->isBFloatTy()) // x86 has none of these
      return builder_.CreateFCmp(comparison->getPredicate(), widen(operand(0)), widen(operand(1)));
    if (!isSmallFloat(instruction_.getType()))
      return nullptr;
    switch (instruction_.getOpcode()) {
    case Instruction::FNeg: {
      unsigned sign = 0x8000;
      Value *negative = builder_.CreateXor(bits(operand(0)), integer(operand(0)->getType(), sign));
      return orNan(widen(operand(0)), negative);
    }
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv: {
      auto opcode = static_cast<Instruction::BinaryOps>(instruction_.getOpcode());
      if (isNative_)
        return withOneNan(builder_.CreateBinOp(opcode, operand(0), operand(1)));
      return narrow(builder_.CreateBinOp(opcode, widen(operand(0)), widen(operand(1))));
    }
    default:
      break;
    }
    auto *call = dyn_cast<IntrinsicInst>(&instruction_);
    if (call && call->getIntrinsicID() == Intrinsic::fabs)
      return builder_.CreateBitCast(
          builder_.CreateAnd(bits(operand(0)), integer(operand(0)->getType(), 0x7fff)),
          call->getType());
    if (call &&
        (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd))
      return isNative_ ? withOneNan(builder_.CreateIntrinsic(Intrinsic::fma, {call->getType()},
                                                             {operand(0), operand(1), operand(2)}))
                       : narrow(fusedMultiplyAdd(operand(0), operand(1), operand(2)));
    return nullptr;
  }

private:
  Type *with(Type *shape, Type *scalar) {
    auto *vector = dyn_cast<VectorType>(shape);
    return vector ? VectorType::get(scalar, vector->getElementCount()) : scalar;
  }
  Type *floats(Value *v) { return with(v->getType(), builder_.getFloatTy()); }
  Type *doubles(Value *v) { return with(v->getType(), builder_.getDoubleTy()); }
  Constant *integer(Type *shape, uint64_t n, unsigned width = 16) {
    return ConstantInt::get(with(shape, builder_.getIntNTy(width)), n);
  }
  Value *bits(Value *v) {
    return builder_.CreateBitCast(
        v, with(v->getType(), builder_.getIntNTy(v->getType()->getScalarSizeInBits())));
  }

  /// The exact float.
  Value *widen(Value *v) {
    if (!v->getType()->getScalarType()->isBFloatTy())
      return builder_.CreateFPExt(v, floats(v));
    Value *wide = builder_.CreateZExt(bits(v), with(v->getType(), builder_.getInt32Ty()));
    return builder_.CreateBitCast(builder_.CreateShl(wide, 16), floats(v));
  }

  /// `f` to nearest.
  Value *narrow(Value *f) {
    if (instruction_.getType()->getScalarType()->isHalfTy())
      return orNan(f, bits(builder_.CreateFPTrunc(f, instruction_.getType())));
    Value *word = bits(f);
    auto number = [&](unsigned n) { return integer(f->getType(), n, 32); };
    Value *odd = builder_.CreateAnd(builder_.CreateLShr(word, 16), number(1));
    Value *up = builder_.CreateAdd(builder_.CreateAdd(word, number(0x7fff)), odd);
    return orNan(f, builder_.CreateTrunc(builder_.CreateLShr(up, 16),
                                         with(f->getType(), builder_.getInt16Ty())));
  }
  /// The number of these bits, or the one NaN if `f` is one.
  Value *orNan(Value *f, Value *result) {
    Value *isNan = builder_.CreateFCmpUNO(f, f);
    return builder_.CreateBitCast(
        builder_.CreateSelect(isNan, integer(f->getType(), 0x7fff), result),
        instruction_.getType());
  }

  Value *withOneNan(Value *half) { return orNan(half, bits(half)); }

  /// A float that rounds as a * b + c does.
  Value *fusedMultiplyAdd(Value *a, Value *b, Value *c) {
    bool isHalf = a->getType()->getScalarType()->isHalfTy();
    auto exact = [&](Value *v) {
      Value *wide = widen(v);
      return isHalf ? wide : builder_.CreateFPExt(wide, doubles(v));
    };
    Value *product = builder_.CreateFMul(exact(a), exact(b));
    Value *sum = oddSum(product, exact(c));
    return isHalf ? sum : oddFloat(sum);
  }

  Value *oddSum(Value *a, Value *b) {
    Value *sum = builder_.CreateFAdd(a, b), *mostOfB = builder_.CreateFSub(sum, a);
    Value *lostOfA = builder_.CreateFSub(a, builder_.CreateFSub(sum, mostOfB));
    Value *lost = builder_.CreateFAdd(lostOfA, builder_.CreateFSub(b, mostOfB));
    Constant *zero = Constant::getNullValue(lost->getType());
    Value *word = bits(sum);
    unsigned width = word->getType()->getScalarSizeInBits();
    Constant *one = integer(sum->getType(), 1, width), *none = integer(sum->getType(), 0, width);
    // Where something was lost and the last bit is 0, the neighbour on the side of the exact sum.
    Value *even = builder_.CreateICmpEQ(builder_.CreateAnd(word, one), none);
    Value *needed = builder_.CreateAnd(builder_.CreateFCmpONE(lost, zero), even);
    Value *away = builder_.CreateICmpEQ(builder_.CreateFCmpOGT(lost, zero),
                                        builder_.CreateFCmpOGT(sum, zero));
    Value *step = builder_.CreateSelect(away, one, ConstantInt::getAllOnesValue(word->getType()));
    Value *odd = builder_.CreateAdd(word, builder_.CreateSelect(needed, step, none));
    return builder_.CreateBitCast(odd, sum->getType());
  }

  Value *oddFloat(Value *d) {
    Value *f = builder_.CreateFPTrunc(d, floats(d)), *back = builder_.CreateFPExt(f, d->getType());
    auto magnitude = [&](Value *v) { return builder_.CreateUnaryIntrinsic(Intrinsic::fabs, v); };
    Value *above = builder_.CreateFCmpOGT(magnitude(back), magnitude(d));
    Value *word = bits(f),
          *cut = builder_.CreateSub(word, builder_.CreateZExt(above, word->getType()));
    Value *odd = builder_.CreateOr(cut, integer(d->getType(), 1, 32));
    Value *exact = builder_.CreateFCmpUEQ(back, d); // or NaN
    return builder_.CreateBitCast(builder_.CreateSelect(exact, word, odd), f->getType());
  }

  Value *convert() {
    Value *from = instruction_.getOperand(0);
    if (isa<FPExtInst>(instruction_))
      return from->getType()->getScalarType()->isBFloatTy()
                 ? builder_.CreateFPExt(widen(from), instruction_.getType())
                 : nullptr;
    if (!instruction_.getType()->getScalarType()->isBFloatTy())
      return nullptr;
    return narrow(from->getType()->getScalarType()->isDoubleTy() ? oddFloat(from) : from);
  }

  Instruction &instruction_;
  IRBuilder<> builder_;
  bool isNative_; ///< the machine does it
};

} // namespace

void lowerSmallFloats(Function &function, bool hasHalves) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (Value *value = SmallFloats(instruction, hasHalves).lower()) {
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
}

} // namespace heddle::simt
