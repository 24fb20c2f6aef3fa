// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on one byte, halfword or word of each operand (PTX ISA, "Scalar Video Instructions"):
//
//     vadd.s32.u32.s32.sat d, a.b0, b.h1            t = clamp(zext a[7:0] + sext b[31:16]);  d = t
//     vsub.u32.u32.u32.max d, a, b, c               d = max(a - b, c)
//     vmin.s32.s32.s32     d.h1, a, b, c            d = c with the low half of min(a, b) in its high one
//     vmad.s32.s32.u32.shr7 d, -a.b3, b, c          d = (c - sext a[31:24] * b) >> 7
//
// Operands are extended to 64 bits, in which all but two results are exact. A left shift and a
// product of words without signs may reach the 64th bit: where they are to be clamped they are
// brought below 2^62 before, which is far above what anything is clamped to.
#include "frontend/ptx/comparison.h"
#include "frontend/ptx/emitter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Bits of a word.
struct Part {
  unsigned first = 0, bits = 32;
};

Part partOf(Emitter &e, StringRef selector) {
  Part part = StringSwitch<Part>(selector)
                  .Case("b0", {0, 8})
                  .Case("b1", {8, 8})
                  .Case("b2", {16, 8})
                  .Case("b3", {24, 8})
                  .Case("h0", {0, 16})
                  .Case("h1", {16, 16})
                  .Default({0, 0});
  if (selector.empty())
    return {};
  e.failUnless(part.bits != 0, "'." + selector + "' is no byte or halfword");
  return part;
}

class Video {
public:
  explicit Video(Emitter &e) : e_(e), b_(e.b), long_(e.b.getInt64Ty()) {}

  void takeTypes() {
    result_ = e_.takeWordType();
    takeOperandTypes();
  }
  void takeOperandTypes() {
    typeA_ = e_.takeWordType();
    typeB_ = e_.takeWordType();
  }

  /// Operand i, 1 or 2, in 64 bits; `isMinus` is set if it stands there negated.
  Value *source(unsigned i, bool *isMinus = nullptr) {
    auto [operand, selector] = e_.selected(i);
    if (isMinus)
      *isMinus = std::exchange(operand.isMinus, false);
    const PtxType &type = i == 1 ? typeA_ : typeB_;
    Part part = partOf(e_, selector);
    Value *word = e_.read(operand, *findType("b32"));
    Value *low = b_.CreateTrunc(b_.CreateLShr(word, part.first), b_.getIntNTy(part.bits));
    return b_.CreateIntCast(low, long_, type.isSigned());
  }

  Value *clamped(Value *value, bool isSigned, unsigned bits) {
    APInt least = isSigned ? APInt::getSignedMinValue(bits).sext(64) : APInt(64, 0);
    APInt most =
        isSigned ? APInt::getSignedMaxValue(bits).sext(64) : APInt::getMaxValue(bits).zext(64);
    value = b_.CreateBinaryIntrinsic(Intrinsic::smax, value, b_.getInt(least));
    return b_.CreateBinaryIntrinsic(Intrinsic::smin, value, b_.getInt(most));
  }

  /// Clamps, combines with c by a second operation, or puts the result into a part of c.
  void finish(Value *value, bool saturates, StringRef second) {
    auto [target, selector] = e_.selected(0);
    Part part = partOf(e_, selector);
    bool isSigned = result_.isSigned();
    if (saturates)
      value = clamped(value, isSigned, part.bits);
    value = b_.CreateTrunc(value, b_.getInt32Ty());
    e_.failUnless(second.empty() || selector.empty(), "a second operation on a part of a word");
    if (second == "add")
      value = b_.CreateAdd(value, e_.bits(3, 32));
    else if (!second.empty())
      value = b_.CreateBinaryIntrinsic(extreme(second, isSigned), value, e_.bits(3, 32));
    else if (!selector.empty())
      value = merged(value, part);
    e_.write(target, value);
  }

  bool isSignedA() const { return typeA_.isSigned(); }
  bool isSignedB() const { return typeB_.isSigned(); }

private:
  Intrinsic::ID extreme(StringRef name, bool isSigned) {
    if (name == "min")
      return isSigned ? Intrinsic::smin : Intrinsic::umin;
    return isSigned ? Intrinsic::smax : Intrinsic::umax;
  }

  Value *merged(Value *value, Part part) {
    Value *mask = b_.getInt(APInt::getBitsSet(32, part.first, part.first + part.bits));
    Value *moved = b_.CreateAnd(b_.CreateShl(value, part.first), mask);
    return b_.CreateOr(moved, b_.CreateAnd(e_.bits(3, 32), b_.CreateNot(mask)));
  }

  Emitter &e_;
  IRBuilder<> &b_;
  Type *long_;
  PtxType result_ = *findType("u32"), typeA_ = result_, typeB_ = result_;
};

StringRef takeSecond(Emitter &e) { return e.takeOneOf({"add", "min", "max"}); }

} // namespace

/// vadd, vsub, vabsdiff, vmin, vmax.
void lowerVideo(Emitter &e) {
  bool saturates = e.take("sat");
  StringRef second = takeSecond(e), op = e.opcode();
  Video video(e);
  video.takeTypes();
  Value *a = video.source(1), *b = video.source(2), *result = nullptr;
  if (op == "vadd")
    result = e.b.CreateAdd(a, b);
  else if (op == "vsub")
    result = e.b.CreateSub(a, b);
  else if (op == "vabsdiff")
    result = e.b.CreateBinaryIntrinsic(Intrinsic::abs, e.b.CreateSub(a, b), e.b.getFalse());
  else
    result = e.b.CreateBinaryIntrinsic(op == "vmin" ? Intrinsic::smin : Intrinsic::smax, a, b);
  video.finish(result, saturates, second);
}

/// vshl, vshr.
void lowerVideoShift(Emitter &e) {
  bool saturates = e.take("sat"), isLeft = e.opcode() == "vshl";
  StringRef second = takeSecond(e), mode = e.takeOneOf({"clamp", "wrap"});
  e.failUnless(!mode.empty(), "expected .clamp or .wrap");
  Video video(e);
  video.takeTypes();
  e.failUnless(!video.isSignedB(), "expected '.u32' for the distance");
  Value *a = video.source(1), *by = video.source(2);
  by = mode == "wrap" ? e.b.CreateAnd(by, 31)
                      : e.b.CreateBinaryIntrinsic(Intrinsic::umin, by, e.number(32, 64));
  Value *result = isLeft ? e.b.CreateShl(a, by) : e.b.CreateAShr(a, by);
  if (saturates && isLeft && !video.isSignedA())
    result = e.b.CreateBinaryIntrinsic(Intrinsic::umin, result, e.number(1ull << 62, 64));
  video.finish(result, saturates, second);
}

/// vset: 1 or 0, which has no sign, nor have d and c.
void lowerVideoSet(Emitter &e) {
  StringRef compare = e.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"}), second = takeSecond(e);
  e.failUnless(!compare.empty(), "expected a comparison");
  Video video(e);
  video.takeOperandTypes();
  Value *a = video.source(1), *b = video.source(2);
  CmpInst::Predicate predicate = integerPredicate(compare.empty() ? "eq" : compare, true);
  video.finish(e.b.CreateZExt(e.b.CreateICmp(predicate, a, b), e.b.getInt64Ty()), false, second);
}

/// vmad: a * b + c, or with .po one more; of the product or of c the negative; then a shift. The
/// result is signed if a factor is, or anything is negated.
void lowerVideoMad(Emitter &e) {
  bool addsOne = e.take("po"), saturates = e.take("sat");
  StringRef scale = e.takeOneOf({"shr7", "shr15"});
  Video video(e);
  video.takeTypes();
  bool minusA = false, minusB = false;
  Value *a = video.source(1, &minusA), *b = video.source(2, &minusB);
  Operand last = e.operand(3);
  bool minusC = std::exchange(last.isMinus, false), minusProduct = minusA != minusB;
  e.failUnless(!addsOne || !(minusA || minusB || minusC), "'.po' with a negated operand");
  e.failUnless(!minusProduct || !minusC, "a negated product and a negated sum");
  bool isUnsigned = !video.isSignedA() && !video.isSignedB();
  bool isSigned = !isUnsigned || minusProduct || minusC;
  Value *product = e.b.CreateMul(a, b);
  if (saturates && isSigned && isUnsigned)
    product = e.b.CreateBinaryIntrinsic(Intrinsic::umin, product, e.number(1ull << 62, 64));
  if (minusProduct)
    product = e.b.CreateNeg(product);
  Value *c = e.b.CreateIntCast(e.read(last, *findType("b32")), e.b.getInt64Ty(), isSigned);
  Value *sum = minusC ? e.b.CreateSub(product, c) : e.b.CreateAdd(product, c);
  if (addsOne)
    sum = e.b.CreateAdd(sum, e.number(1, 64));
  unsigned places = scale == "shr7" ? 7 : scale == "shr15" ? 15 : 0;
  sum = isSigned ? e.b.CreateAShr(sum, places) : e.b.CreateLShr(sum, places);
  if (saturates)
    sum = isSigned ? video.clamped(sum, true, 32)
                   : e.b.CreateBinaryIntrinsic(Intrinsic::umin, sum, e.number(0xffffffff, 64));
  e.write(0, e.b.CreateTrunc(sum, e.b.getInt32Ty()));
}

} // namespace heddle::frontend::ptx
