// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halfwords or four bytes of a word at a time (PTX ISA, "SIMD Video Instructions"):
//
//     vadd4.u32.s32.u32.sat d, a, b, c     t[i] = clamp(a[i] + b[i]);  d = t
//     vabsdiff4.u32.u32.u32.add d, a, b, c d = c + t[0] + t[1] + t[2] + t[3]
//     vset2.u32.u32.ge d, a, b, c          t[i] = a[i] >= b[i]
//
// The elements are extended as the types of a and b say and computed with as words, which all
// results fit in. Elements that are chosen (a.b7531) or masked (d.b10) are not read: the parser
// refuses what stands behind an operand.
#include "frontend/ptx/comparison.h"
#include "frontend/ptx/emitter.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr unsigned WordBits = 32;

struct SimdOperation {
  StringRef name; ///< "vadd"
  unsigned elements;
  unsigned bits() const { return WordBits / elements; }
};

SimdOperation operationOf(Emitter &e) {
  return {e.opcode().drop_back(), e.opcode().ends_with("4") ? 4u : 2u};
}

PtxType takeWordType(Emitter &e) {
  PtxType type = e.takeType();
  e.failUnless(type == "u32" || type == "s32", "expected '.u32' or '.s32'");
  return type;
}

/// Element `i` of a word, extended to one.
Value *element(Emitter &e, const SimdOperation &operation, Value *word, unsigned i, bool isSigned) {
  unsigned bits = operation.bits(), above = WordBits - bits * (i + 1);
  Value *high = e.b.CreateShl(word, above);
  return isSigned ? e.b.CreateAShr(high, WordBits - bits) : e.b.CreateLShr(high, WordBits - bits);
}

Value *compute(Emitter &e, StringRef name, Value *a, Value *b) {
  IRBuilder<> &builder = e.b;
  if (name == "vadd")
    return builder.CreateAdd(a, b);
  if (name == "vsub")
    return builder.CreateSub(a, b);
  if (name == "vmin" || name == "vmax")
    return builder.CreateBinaryIntrinsic(name == "vmin" ? Intrinsic::smin : Intrinsic::smax, a, b);
  if (name == "vabsdiff")
    return builder.CreateBinaryIntrinsic(Intrinsic::abs, builder.CreateSub(a, b),
                                         builder.getFalse());
  Value *sum = builder.CreateAdd(a, b); // vavrg: a half is rounded away from 0
  Value *isPositive = builder.CreateICmpSGE(sum, e.number(0));
  return builder.CreateAShr(builder.CreateAdd(sum, builder.CreateZExt(isPositive, sum->getType())),
                            1);
}

Value *clamp(Emitter &e, const SimdOperation &operation, Value *value, bool isSigned) {
  unsigned bits = operation.bits();
  APInt least = isSigned ? APInt::getSignedMinValue(bits).sext(WordBits) : APInt(WordBits, 0);
  APInt most = isSigned ? APInt::getSignedMaxValue(bits).sext(WordBits)
                        : APInt::getMaxValue(bits).zext(WordBits);
  value = e.b.CreateBinaryIntrinsic(Intrinsic::smax, value, e.b.getInt(least));
  return e.b.CreateBinaryIntrinsic(Intrinsic::smin, value, e.b.getInt(most));
}

/// The elements side by side, or their sum and the word c.
void writeElements(Emitter &e, const SimdOperation &operation, ArrayRef<Value *> elements,
                   bool adds) {
  Value *c = e.bits(3, WordBits); // stands there without '.add', too, for a mask
  Value *result = adds ? c : e.number(0);
  unsigned bits = operation.bits();
  for (unsigned i = 0; i < elements.size(); ++i) {
    if (adds) {
      result = e.b.CreateAdd(result, elements[i]);
      continue;
    }
    Value *low = e.b.CreateAnd(elements[i], e.b.getInt(APInt::getLowBitsSet(WordBits, bits)));
    result = e.b.CreateOr(result, e.b.CreateShl(low, bits * i));
  }
  e.write(0, result);
}

} // namespace

void lowerSimd(Emitter &e) {
  SimdOperation operation = operationOf(e);
  bool clamps = e.take("sat"), adds = e.take("add");
  e.failUnless(!clamps || !adds, "'.sat' and '.add' exclude each other");
  PtxType type = takeWordType(e), typeA = takeWordType(e), typeB = takeWordType(e);
  Value *a = e.bits(1, WordBits), *b = e.bits(2, WordBits);
  SmallVector<Value *, 4> results;
  for (unsigned i = 0; i < operation.elements; ++i) {
    Value *result = compute(e, operation.name, element(e, operation, a, i, typeA.isSigned()),
                            element(e, operation, b, i, typeB.isSigned()));
    results.push_back(clamps ? clamp(e, operation, result, type.isSigned()) : result);
  }
  writeElements(e, operation, results, adds);
}

void lowerSimdSet(Emitter &e) {
  SimdOperation operation = operationOf(e);
  bool adds = e.take("add");
  StringRef compare = e.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
  e.failUnless(!compare.empty(), "expected a comparison");
  // Of words that hold all elements, whatever their type; after an error, of any kind.
  CmpInst::Predicate predicate = integerPredicate(compare.empty() ? "eq" : compare, true);
  PtxType typeA = takeWordType(e), typeB = takeWordType(e);
  Value *a = e.bits(1, WordBits), *b = e.bits(2, WordBits);
  SmallVector<Value *, 4> results;
  for (unsigned i = 0; i < operation.elements; ++i)
    results.push_back(
        e.b.CreateZExt(e.b.CreateICmp(predicate, element(e, operation, a, i, typeA.isSigned()),
                                      element(e, operation, b, i, typeB.isSigned())),
                       e.b.getInt32Ty()));
  writeElements(e, operation, results, adds);
}

} // namespace heddle::frontend::ptx
