// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halfwords or four bytes of a word at a time (PTX ISA, "SIMD Video Instructions"):
//
//     vadd4.u32.s32.u32.sat d, a, b, c     t[i] = clamp(a[i] + b[i]);  d = t
//     vabsdiff4.u32.u32.u32.add d, a, b, c d = c + t[0] + t[1] + t[2] + t[3]
//     vset2.u32.u32.ge d, a, b, c          t[i] = a[i] >= b[i]
//
//     vadd2.s32.s32.s32 d.h0, a.h12, b, c  d = the sum of b's and a's halves in h0, c's in h1
//
// The elements are extended as the types of a and b say and computed with as words, which all
// results fit in. Those of either operand are chosen among all of a and b, which are counted
// through from a's lowest on; by default they are a's, and b's. What a mask leaves out is c's.
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

/// Element `i` of a word, extended to one.
Value *element(Emitter &e, const SimdOperation &operation, Value *word, unsigned i, bool isSigned) {
  unsigned bits = operation.bits(), above = WordBits - bits * (i + 1);
  Value *high = e.b.CreateShl(word, above);
  return isSigned ? e.b.CreateAShr(high, WordBits - bits) : e.b.CreateLShr(high, WordBits - bits);
}

/// The digits behind the 'h' or 'b' of a selector, the last first: "b7531" is 1, 3, 5, 7.
SmallVector<unsigned, 4> digitsOf(Emitter &e, const SimdOperation &operation, StringRef selector) {
  SmallVector<unsigned, 4> digits;
  bool isRight = selector.consume_front(operation.elements == 4 ? "b" : "h");
  for (char c : reverse(selector)) {
    isRight &= c >= '0' && c < '0' + char(2 * operation.elements);
    digits.push_back(unsigned(c - '0'));
  }
  e.failUnless(isRight && !digits.empty(), "'." + selector + "' chooses nothing");
  return digits;
}

/// The elements that each operand stands for.
struct SimdOperands {
  SmallVector<Value *, 4> a, b;
};

SimdOperands readOperands(Emitter &e, const SimdOperation &operation, bool signA, bool signB) {
  auto [first, chosenA] = e.selected(1);
  auto [second, chosenB] = e.selected(2);
  PtxType word = *findType("b32");
  Value *words[] = {e.read(first, word), e.read(second, word)};
  unsigned count = operation.elements;
  auto choose = [&](StringRef selector, unsigned start, bool isSigned) {
    SmallVector<unsigned, 4> from;
    for (unsigned i = 0; i < count; ++i)
      from.push_back(start + i);
    if (!selector.empty())
      from = digitsOf(e, operation, selector);
    e.failUnless(from.size() == count, "a selector of another number of elements");
    from.resize(count);
    SmallVector<Value *, 4> elements;
    for (unsigned i : from)
      elements.push_back(element(e, operation, words[i / count % 2], i % count, isSigned));
    return elements;
  };
  return {choose(chosenA, 0, signA), choose(chosenB, count, signB)};
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
  auto [target, mask] = e.selected(0);
  SmallVector<unsigned, 4> kept;
  if (!mask.empty())
    kept = digitsOf(e, operation, mask);
  Value *c = e.bits(3, WordBits), *result = adds ? c : e.number(0);
  unsigned bits = operation.bits();
  for (unsigned i = 0; i < elements.size(); ++i) {
    bool isKept = mask.empty() || is_contained(kept, i);
    if (adds) {
      result = isKept ? e.b.CreateAdd(result, elements[i]) : result;
      continue;
    }
    Value *value = isKept ? elements[i] : e.b.CreateLShr(c, bits * i);
    Value *low = e.b.CreateAnd(value, e.b.getInt(APInt::getLowBitsSet(WordBits, bits)));
    result = e.b.CreateOr(result, e.b.CreateShl(low, bits * i));
  }
  e.write(target, result);
}

} // namespace

void lowerSimd(Emitter &e) {
  SimdOperation operation = operationOf(e);
  bool clamps = e.take("sat"), adds = e.take("add");
  e.failUnless(!clamps || !adds, "'.sat' and '.add' exclude each other");
  PtxType type = e.takeWordType(), typeA = e.takeWordType(), typeB = e.takeWordType();
  auto [a, b] = readOperands(e, operation, typeA.isSigned(), typeB.isSigned());
  SmallVector<Value *, 4> results;
  for (unsigned i = 0; i < operation.elements; ++i) {
    Value *result = compute(e, operation.name, a[i], b[i]);
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
  PtxType typeA = e.takeWordType(), typeB = e.takeWordType();
  auto [a, b] = readOperands(e, operation, typeA.isSigned(), typeB.isSigned());
  SmallVector<Value *, 4> results;
  for (unsigned i = 0; i < operation.elements; ++i)
    results.push_back(e.b.CreateZExt(e.b.CreateICmp(predicate, a[i], b[i]), e.b.getInt32Ty()));
  writeElements(e, operation, results, adds);
}

} // namespace heddle::frontend::ptx
