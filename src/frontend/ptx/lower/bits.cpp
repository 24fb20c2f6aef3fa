// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts, fields of bits, bytes (PTX ISA, "Logic and Shift Instructions", "Integer
// Arithmetic Instructions": bfe, bfi, bmsk, szext, brev; "Data Movement": prmt).
#include "frontend/ptx/emitter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// A function of two bits: bit 2a + b of its table.
Value *ofTwo(Emitter &e, unsigned table, Value *a, Value *b) {
  IRBuilder<> &builder = e.b;
  bool isInverse = table & 1; // of one that gives 0 for 0 and 0
  Value *result = nullptr;
  switch (isInverse ? table ^ 15 : table) {
  case 0b0000:
    result = ConstantInt::get(a->getType(), 0);
    break;
  case 0b0010:
    result = builder.CreateAnd(builder.CreateNot(a), b);
    break;
  case 0b0100:
    result = builder.CreateAnd(a, builder.CreateNot(b));
    break;
  case 0b0110:
    result = builder.CreateXor(a, b);
    break;
  case 0b1000:
    result = builder.CreateAnd(a, b);
    break;
  case 0b1010:
    result = b;
    break;
  case 0b1100:
    result = a;
    break;
  default: // 0b1110
    result = builder.CreateOr(a, b);
  }
  return isInverse ? builder.CreateNot(result) : result;
}

/// A function of three bits: bit 4a + 2b + c of its table. By c it is one of two functions of a and
/// b, of which f ^ (f ^ g) & c chooses; LLVM makes one instruction of that where the machine has
/// it.
Value *lookUp(Emitter &e, unsigned table, Value *a, Value *b, Value *c) {
  unsigned whereClear = 0, whereSet = 0;
  for (unsigned i = 0; i < 4; ++i) {
    whereClear |= ((table >> (2 * i)) & 1) << i;
    whereSet |= ((table >> (2 * i + 1)) & 1) << i;
  }
  Value *clear = ofTwo(e, whereClear, a, b);
  unsigned change = whereClear ^ whereSet;
  if (change == 0)
    return clear;
  return e.b.CreateXor(clear, change == 15 ? c : e.b.CreateAnd(ofTwo(e, change, a, b), c));
}

Value *umin(Emitter &e, Value *a, Value *b) {
  return e.b.CreateBinaryIntrinsic(Intrinsic::umin, a, b);
}

/// Shifts by the number's bits or more give 0: here and not by the rule that simt has for C++'s
/// shifts, so that the reader says all that its instructions mean.
Value *shift(Emitter &e, Instruction::BinaryOps op, Value *a, Value *amount) {
  unsigned bits = a->getType()->getIntegerBitWidth();
  amount = e.b.CreateIntCast(umin(e, amount, e.number(bits)), a->getType(), false);
  if (op == Instruction::AShr)
    return e.b.CreateAShr(a, umin(e, amount, ConstantInt::get(a->getType(), bits - 1)));
  Value *inside = e.b.CreateICmpULT(amount, ConstantInt::get(a->getType(), bits));
  Value *safe = e.b.CreateAnd(amount, ConstantInt::get(a->getType(), bits - 1));
  return e.b.CreateSelect(inside, e.b.CreateBinOp(op, a, safe), ConstantInt::get(a->getType(), 0));
}

/// The low `count` bits set; all from the number's bits on.
Value *lowBits(Emitter &e, unsigned bits, Value *count) {
  Value *one = e.number(1, bits);
  return e.b.CreateSub(shift(e, Instruction::Shl, one, count), one);
}

} // namespace

void lowerLogic(Emitter &e) {
  const std::optional<PtxType> next = e.peekType();
  bool isPredicate = next && next->kind == TypeKind::Predicate;
  PtxType type = isPredicate ? e.takeType() : e.takeInteger();
  auto in = [&](unsigned i) { return isPredicate ? e.predicate(i) : e.read(i, type); };
  StringRef op = e.opcode();
  if (op == "not")
    return e.write(0, e.b.CreateNot(in(1)));
  if (op == "cnot")
    return e.write(
        0, e.b.CreateZExt(e.b.CreateICmpEQ(in(1), ConstantInt::get(e.ir(type), 0)), e.ir(type)));
  Value *a = in(1), *b = in(2);
  e.write(0, op == "and"  ? e.b.CreateAnd(a, b)
             : op == "or" ? e.b.CreateOr(a, b)
                          : e.b.CreateXor(a, b));
}

/// lop3.b32 d, a, b, c, table;   lop3.or.b32 d|p, a, b, c, table, q;   p = (d != 0) or q
void lowerLop3(Emitter &e) {
  StringRef combine = e.takeOneOf({"or", "and"});
  e.failUnless(e.take("b32"), "expected .b32");
  Value *result = lookUp(e, e.constant(4) & 0xff, e.bits(1, 32), e.bits(2, 32), e.bits(3, 32));
  if (combine.empty())
    return e.write(0, result);
  const Operand &both = e.operand(0);
  if (both.kind != Operand::Pair)
    return e.fail("expected d|p");
  Value *isSet = e.b.CreateICmpNE(result, e.number(0)), *q = e.predicate(5);
  e.write(both.elements[0], result);
  e.write(both.elements[1], combine == "or" ? e.b.CreateOr(isSet, q) : e.b.CreateAnd(isSet, q));
}

void lowerShift(Emitter &e) {
  PtxType type = e.takeInteger();
  Instruction::BinaryOps op = e.opcode() == "shl" ? Instruction::Shl
                              : type.isSigned()   ? Instruction::AShr
                                                  : Instruction::LShr;
  e.write(0, shift(e, op, e.read(1, type), e.bits(2, 32)));
}

/// Of the 64 bits b:a, the upper word after a shift to the left, or the lower after one to the
/// right.
void lowerFunnel(Emitter &e) {
  StringRef side = e.takeOneOf({"l", "r"}), mode = e.takeOneOf({"wrap", "clamp"});
  e.failUnless(!side.empty() && !mode.empty(), "expected .l or .r, and .wrap or .clamp");
  e.failUnless(e.take("b32"), "expected .b32");
  Value *a = e.bits(1, 32), *b = e.bits(2, 32), *c = e.bits(3, 32);
  Value *all = e.join({a, b});
  Value *amount = mode == "wrap" ? e.b.CreateAnd(c, 31) : umin(e, c, e.number(32));
  amount = e.b.CreateZExt(amount, e.b.getInt64Ty());
  Value *shifted =
      side == "l" ? e.b.CreateLShr(e.b.CreateShl(all, amount), 32) : e.b.CreateLShr(all, amount);
  e.write(0, e.b.CreateTrunc(shifted, e.b.getInt32Ty()));
}

void lowerBrev(Emitter &e) {
  PtxType type = e.takeInteger();
  e.write(0, e.b.CreateUnaryIntrinsic(Intrinsic::bitreverse, e.read(1, type)));
}

namespace {

/// A position or length of bits: a byte of the operand. Of 64 bits, where the PTX ISA leaves open
/// what is above 255, a GPU takes the whole word, so that all is outside of the number.
Value *placeOf(Emitter &e, unsigned i, const PtxType &type) {
  Value *word = e.bits(i, 32);
  return type.bits() == 64 ? word : e.b.CreateAnd(word, 0xff);
}

} // namespace

/// len bits from pos on; bits above the number's are its sign.
void lowerBfe(Emitter &e) {
  PtxType type = e.takeInteger();
  unsigned bits = type.bits();
  Value *a = e.read(1, type), *pos = placeOf(e, 2, type), *len = placeOf(e, 3, type);
  if (!type.isSigned()) {
    Value *low = shift(e, Instruction::LShr, a, pos);
    return e.write(0, e.b.CreateAnd(low, lowBits(e, bits, len)));
  }
  Value *low = shift(e, Instruction::AShr, a, pos);
  Value *above = e.b.CreateSub(e.number(bits), umin(e, len, e.number(bits)));
  Value *field = shift(e, Instruction::AShr, shift(e, Instruction::Shl, low, above), above);
  Value *none = e.b.CreateICmpEQ(len, e.number(0));
  e.write(0, e.b.CreateSelect(none, ConstantInt::get(a->getType(), 0), field));
}

/// The low len bits of a, at pos in b.
void lowerBfi(Emitter &e) {
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type), *b = e.read(2, type);
  Value *pos = placeOf(e, 3, type), *len = placeOf(e, 4, type);
  Value *mask = shift(e, Instruction::Shl, lowBits(e, type.bits(), len), pos);
  Value *field = shift(e, Instruction::Shl, a, pos);
  e.write(0, e.b.CreateOr(e.b.CreateAnd(field, mask), e.b.CreateAnd(b, e.b.CreateNot(mask))));
}

/// len bits from pos on are set; .clamp takes both at most 32, .wrap modulo 32.
void lowerBmsk(Emitter &e) {
  StringRef mode = e.takeOneOf({"wrap", "clamp"});
  e.failUnless(e.take("b32"), "expected .b32");
  Value *pos = e.bits(1, 32), *len = e.bits(2, 32);
  if (mode == "wrap") {
    pos = e.b.CreateAnd(pos, 31);
    len = e.b.CreateAnd(len, 31);
  }
  e.write(0, shift(e, Instruction::Shl, lowBits(e, 32, len), pos));
}

/// The low n bits of a, extended to the word.
void lowerSzext(Emitter &e) {
  StringRef mode = e.takeOneOf({"wrap", "clamp"});
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type), *n = e.bits(2, 32);
  n = mode == "wrap" ? e.b.CreateAnd(n, 31) : umin(e, n, e.number(32));
  Value *above = e.b.CreateSub(e.number(32), n);
  Value *high = shift(e, Instruction::Shl, a, above);
  Value *result = shift(e, type.isSigned() ? Instruction::AShr : Instruction::LShr, high, above);
  e.write(0, e.b.CreateSelect(e.b.CreateICmpEQ(n, e.number(0)), e.number(0), result));
}

namespace {

/// Which byte of b:a each byte of the result is, in the modes where the lowest two bits of c say
/// (PTX ISA, prmt).
std::array<unsigned, 4> bytesOf(StringRef mode, unsigned c) {
  auto at = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
    return std::array<unsigned, 4>{a, b, c, d};
  };
  if (mode == "f4e")
    return at(c, c + 1, c + 2, c + 3);
  if (mode == "b4e")
    return at(c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7);
  if (mode == "rc8")
    return at(c, c, c, c);
  if (mode == "ecl")
    return at(c > 0 ? c : 0, c > 1 ? c : 1, c > 2 ? c : 2, 3);
  if (mode == "ecr")
    return at(0, c < 1 ? c : 1, c < 2 ? c : 2, c);
  return c & 1 ? at(2, 3, 2, 3) : at(0, 1, 0, 1); // rc16
}

/// Byte `index` (0 to 7, or a value) of `all`.
Value *byteAt(Emitter &e, Value *all, Value *index) {
  Value *amount = e.b.CreateZExt(e.b.CreateShl(index, 3), all->getType());
  return e.b.CreateTrunc(e.b.CreateLShr(all, amount), e.b.getInt8Ty());
}

} // namespace

void lowerPrmt(Emitter &e) {
  e.failUnless(e.take("b32"), "expected .b32");
  StringRef mode = e.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Value *a = e.bits(1, 32), *b = e.bits(2, 32), *c = e.bits(3, 32);
  Value *all = e.join({a, b});
  SmallVector<Value *, 4> bytes;
  if (mode.empty()) {
    for (unsigned i = 0; i < 4; ++i) {
      Value *selector = e.b.CreateLShr(c, 4 * i);
      Value *byte = byteAt(e, all, e.b.CreateAnd(selector, 7));
      Value *signs = e.b.CreateAShr(byte, 7);
      Value *wantsSign = e.b.CreateICmpNE(e.b.CreateAnd(selector, 8), e.number(0));
      bytes.push_back(e.b.CreateSelect(wantsSign, signs, byte));
    }
    return e.write(0, e.join(bytes));
  }
  Value *result = nullptr;
  Value *low = e.b.CreateAnd(c, 3);
  for (unsigned choice = 0; choice < 4; ++choice) {
    bytes.clear();
    for (unsigned from : bytesOf(mode, choice))
      bytes.push_back(byteAt(e, all, e.number(from)));
    Value *word = e.join(bytes);
    result =
        result ? e.b.CreateSelect(e.b.CreateICmpEQ(low, e.number(choice)), word, result) : word;
  }
  e.write(0, result);
}

} // namespace heddle::frontend::ptx
