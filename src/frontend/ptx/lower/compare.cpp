// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and selections (PTX ISA, "Comparison and Selection Instructions", "Half Precision
// Comparison Instructions").
#include "frontend/ptx/float_emitter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr StringRef Comparisons[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                     "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

CmpInst::Predicate floatPredicate(StringRef name) {
  return StringSwitch<CmpInst::Predicate>(name)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Case("nan", CmpInst::FCMP_UNO)
      .Default(CmpInst::BAD_FCMP_PREDICATE);
}

} // namespace

CmpInst::Predicate integerPredicate(StringRef name, bool isSigned) {
  CmpInst::Predicate predicate = StringSwitch<CmpInst::Predicate>(name)
                                     .Case("eq", CmpInst::ICMP_EQ)
                                     .Case("ne", CmpInst::ICMP_NE)
                                     .Cases({"lt", "lo"}, CmpInst::ICMP_ULT)
                                     .Cases({"le", "ls"}, CmpInst::ICMP_ULE)
                                     .Cases({"gt", "hi"}, CmpInst::ICMP_UGT)
                                     .Cases({"ge", "hs"}, CmpInst::ICMP_UGE)
                                     .Default(CmpInst::BAD_ICMP_PREDICATE);
  return isSigned && predicate != CmpInst::BAD_ICMP_PREDICATE
             ? ICmpInst::getSignedPredicate(predicate)
             : predicate;
}

namespace {

/// How two numbers are compared, and the result combined with a predicate.
struct Comparison {
  StringRef name, combination; ///< "lt"; "and", "or", "xor" or ""
  bool flushes;
};

Comparison takeComparison(Emitter &e) {
  Comparison comparison;
  comparison.name = e.takeOneOf(Comparisons);
  comparison.combination = e.takeOneOf({"and", "or", "xor"});
  comparison.flushes = e.take("ftz");
  return comparison;
}

Value *compare(Emitter &e, const Comparison &comparison, const PtxType &type, Value *a, Value *b) {
  CmpInst::Predicate predicate = type.isFloat()
                                     ? floatPredicate(comparison.name)
                                     : integerPredicate(comparison.name, type.isSigned());
  const bool isForUnsigned = is_contained({"lo", "ls", "hi", "hs"}, comparison.name);
  const bool isEquality = comparison.name == "eq" || comparison.name == "ne";
  if (predicate == CmpInst::BAD_FCMP_PREDICATE || predicate == CmpInst::BAD_ICMP_PREDICATE ||
      (type.isSigned() && isForUnsigned) || (type.kind == TypeKind::Bits && !isEquality)) {
    e.fail("Mismatch between instruction type and comparison qualifier");
    return e.b.getFalse();
  }
  if (!type.isFloat())
    return e.b.CreateICmp(predicate, a, b);
  if (comparison.flushes && type.elementBits != 64)
    a = flushed(e, a), b = flushed(e, b);
  else if (type.elementBits == 32)
    keepDenormals(e);
  return e.b.CreateFCmp(predicate, a, b);
}

Value *combine(Emitter &e, const Comparison &comparison, Value *result, const Operand *with) {
  if (comparison.combination.empty())
    return result;
  Value *other = e.predicate(*with);
  return comparison.combination == "and"  ? e.b.CreateAnd(result, other)
         : comparison.combination == "or" ? e.b.CreateOr(result, other)
                                          : e.b.CreateXor(result, other);
}

} // namespace

/// setp p|q, a, b, c;   p = (a op b) combined with c, q = !(a op b) combined with c. Of pairs of
/// halves p is that of the lower and q that of the upper.
void lowerSetp(Emitter &e) {
  Comparison comparison = takeComparison(e);
  PtxType type = e.takeType();
  const Operand &target = e.operand(0);
  const Operand *with = comparison.combination.empty() ? nullptr : &e.operand(3);
  bool isPair = target.kind == Operand::Pair;
  const Operand &first = isPair ? target.elements[0] : target;
  Value *a = e.read(1, type), *b = e.read(2, type);
  if (type.isPacked()) {
    PtxType element = type.element();
    SmallVector<Value *, 2> x = e.split(a, element), y = e.split(b, element);
    for (unsigned i = 0; i < (isPair ? 2 : 1); ++i)
      e.write(isPair ? target.elements[i] : target,
              combine(e, comparison, compare(e, comparison, element, x[i], y[i]), with));
    return;
  }
  Value *result = compare(e, comparison, type, a, b);
  Value *straight = combine(e, comparison, result, with);
  Value *inverse = isPair ? combine(e, comparison, e.b.CreateNot(result), with) : nullptr;
  e.write(first, straight);
  if (isPair)
    e.write(target.elements[1], inverse);
}

/// All bits set, or 1.0, where the comparison holds.
void lowerSet(Emitter &e) {
  Comparison comparison = takeComparison(e);
  PtxType target = e.takeType();
  std::optional<PtxType> second = e.takeTypeIf();
  PtxType source = second ? *second : target;
  const Operand *with = comparison.combination.empty() ? nullptr : &e.operand(3);
  Value *a = e.read(1, source), *b = e.read(2, source);
  auto truth = [&](Value *holds) -> Value * {
    Type *type = source.isPacked() && !target.isFloat() ? e.b.getInt16Ty() : e.ir(target.element());
    Value *yes = target.isFloat() ? ConstantFP::get(type, 1.0) : Constant::getAllOnesValue(type);
    return e.b.CreateSelect(holds, yes, Constant::getNullValue(type));
  };
  e.write(0, e.eachElement(source, {a, b}, [&](ArrayRef<Value *> v) {
    Value *holds = compare(e, comparison, source.element(), v[0], v[1]);
    return truth(combine(e, comparison, holds, with));
  }));
}

void lowerSelp(Emitter &e) {
  PtxType type = e.takeType();
  Value *a = e.read(1, type), *b = e.read(2, type);
  e.write(0, e.b.CreateSelect(e.predicate(3), a, b));
}

/// a where c >= 0, else b; NaN counts as negative.
void lowerSlct(Emitter &e) {
  bool flushes = e.take("ftz");
  PtxType type = e.takeType(), by = e.takeType();
  Value *a = e.read(1, type), *b = e.read(2, type), *c = e.read(3, by);
  if (flushes && by.isFloat())
    c = flushed(e, c);
  else if (by == "f32")
    keepDenormals(e);
  Value *zero = Constant::getNullValue(c->getType());
  Value *isPositive = by.isFloat() ? e.b.CreateFCmpOGE(c, zero) : e.b.CreateICmpSGE(c, zero);
  e.write(0, e.b.CreateSelect(isPositive, a, b));
}

} // namespace heddle::frontend::ptx
