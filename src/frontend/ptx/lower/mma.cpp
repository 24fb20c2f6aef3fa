// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by a warp (PTX ISA, "mma"): D = A * B + C. The layouts of all shapes but
// Volta's m8n8k4 of halves (lower_mma_quads.cpp) are one. Take a row of A, and a column of B, as words of 32 bits (of 64
// for doubles), each of as many elements as fit, and let lane 4g + t be member t of group g:
//
//     word w of row g       lies in lane 4g + w % 4, register w / 4 of those of the row
//     word w of row g + 8   in the same lane; its registers alternate with those of row g
//     word w of column g    in lane 4g + w % 4, register w / 4
//     C and D, row g (+ 8)  columns 2t and 2t + 1 lie in lane 4g + t
//
// So lane 4g + t takes the words of its two rows from its own group, and those of its two columns
// from groups 2t and 2t + 1, by shuffles of constant patterns, and adds up its four elements. On
// vectors of 32 lanes that is as many multiplications as there are products, and half as many
// permutations. Where a warp is narrower programs, each shuffle is an exchange through memory.
//
// Accumulation: products are exact; sums of floating-point products begin with C and go on in the
// order of k, each rounded to float (double for f64), those of integers are exact. The hardware
// adds several products at once and cuts the sum off, so the last bits may differ. A result of
// halves is rounded once, at the end.
#include "frontend/ptx/matrix_emitter.h"
#include "frontend/ptx/small_formats.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Shape {
  unsigned m, n, k;
};

/// "m16n8k16".
std::optional<Shape> parseShape(StringRef text) {
  Shape shape;
  if (!text.consume_front("m") || text.consumeInteger(10, shape.m) || !text.consume_front("n") ||
      text.consumeInteger(10, shape.n) || !text.consume_front("k") ||
      text.consumeInteger(10, shape.k) || !text.empty())
    return {};
  return shape;
}

class Product {
public:
  explicit Product(Emitter &e) : e_(e), b_(e.b) {}

  void emit() {
    if (!readModifiers())
      return;
    if (!isKnown())
      return e_.fail("this shape of these types is not supported");
    readFragments();
    if (hasFailed_)
      return;
    IRBuilderBase::FastMathFlagGuard guard(b_);
    b_.setFastMathFlags(FastMathFlags());
    accumulate();
    writeResult();
  }

private:
  bool readModifiers();
  bool isKnown() const;
  void readFragments();
  void accumulate();
  void writeResult();

  unsigned rows() const { return shape_.m / 8; } ///< of D that a lane has elements of
  unsigned wordBits() const { return a_ == "f64" ? 64 : 32; }
  unsigned words() const { return shape_.k * a_.elementBits / wordBits(); }
  bool isInteger() const { return d_ == "s32"; }
  Type *wordType() { return b_.getIntNTy(wordBits()); }

  SmallVector<Value *, 8> readWords(unsigned operand, unsigned count);
  SmallVector<Value *, 8> readElements(unsigned operand);
  SmallVector<Value *, 16> elementsOf(Value *word, const PtxType &type);
  Value *element(Value *bits, const PtxType &type);
  Value *add(Value *sum, Value *left, Value *right);

  Emitter &e_;
  IRBuilder<> &b_;
  Shape shape_;
  PtxType d_, a_, bType_, c_;
  StringRef bitOperation_;
  bool saturates_ = false, hasFailed_ = false;
  SmallVector<Value *, 8> left_, right_; ///< registers of A and B
  SmallVector<Value *, 8> sums_;         ///< elements of C, then of D
};

bool Product::readModifiers() {
  e_.take("sync");
  e_.take("aligned");
  std::optional<Shape> shape = parseShape(e_.takePrefixed("m"));
  if (!shape) {
    e_.fail("expected a shape");
    return false;
  }
  shape_ = *shape;
  StringRef layoutA = e_.takeOneOf({"row"}), layoutB = e_.takeOneOf({"col"});
  e_.failUnless(!layoutA.empty() && !layoutB.empty(), "expected .row.col");
  saturates_ = e_.take("satfinite");
  d_ = e_.takeType();
  a_ = e_.takeType();
  bType_ = e_.takeType();
  c_ = e_.takeType();
  bitOperation_ = e_.takeOneOf({"xor", "and"});
  if (!bitOperation_.empty())
    e_.failUnless(e_.take("popc"), "expected .popc");
  e_.take("rn");
  return true;
}

/// The shapes of PTX ISA, "mma", by the bits of a row of A: one or two registers of it, and for
/// doubles up to four.
bool Product::isKnown() const {
  unsigned rowBits = shape_.k * a_.elementBits;
  bool isWide = shape_.m == 16, isSame = a_ == bType_;
  if (shape_.n != 8 || (shape_.m != 8 && shape_.m != 16))
    return false;
  if (a_ == "f64")
    return isSame && d_ == "f64" && c_ == "f64" &&
           (shape_.k == 4 || (isWide && (shape_.k == 8 || shape_.k == 16)));
  if (rowBits != 128 && !(isWide && rowBits == 256))
    return false;
  if (a_.isInteger())
    return d_ == "s32" && c_ == "s32" && bType_.elementBits == a_.elementBits &&
           (a_.elementBits == 8 || a_.elementBits == 4 ||
            (a_.elementBits == 1 && !bitOperation_.empty()));
  bool hasFloats = d_ == "f32" && c_ == "f32";
  bool hasHalves = (d_ == "f16" || d_ == "f32") && (c_ == "f16" || c_ == "f32");
  if (!isWide)
    return false;
  if (a_ == "f16")
    return isSame && hasHalves;
  if (a_.kind == TypeKind::Small)
    return bType_.kind == TypeKind::Small && !a_.isPacked() && !bType_.isPacked() && hasHalves;
  return isSame && hasFloats && (a_ == "bf16" || a_ == "tf32");
}

SmallVector<Value *, 8> Product::readWords(unsigned operand, unsigned count) {
  SmallVector<Operand, 8> operands = e_.elements(operand);
  SmallVector<Value *, 8> words;
  hasFailed_ |= operands.size() != count;
  if (operands.size() != count)
    e_.fail("expected " + Twine(count) + " registers for operand " + Twine(operand + 1));
  for (const Operand &each : operands)
    words.push_back(e_.read(each, {"b", TypeKind::Bits, wordBits(), 1}));
  return words;
}

/// Of C, as they are added to: floats, doubles or integers.
SmallVector<Value *, 8> Product::readElements(unsigned operand) {
  SmallVector<Value *, 8> elements;
  unsigned count = 2 * rows();
  SmallVector<Operand, 8> operands = e_.elements(operand);
  unsigned registers = c_ == "f16" ? count / 2 : count;
  if (operands.size() != registers) {
    hasFailed_ = true;
    e_.fail("expected " + Twine(registers) + " registers for operand " + Twine(operand + 1));
    return elements;
  }
  for (const Operand &each : operands) {
    if (c_ == "f16")
      for (Value *half : e_.split(e_.read(each, *findType("b32")), c_))
        elements.push_back(b_.CreateFPExt(half, b_.getFloatTy()));
    else
      elements.push_back(e_.read(each, c_));
  }
  return elements;
}

void Product::readFragments() {
  unsigned registers = words() / 4;
  left_ = readWords(1, registers * rows());
  right_ = readWords(2, registers);
  sums_ = readElements(3);
}

/// One element as what is multiplied: a float, a double, or an i32.
Value *Product::element(Value *bits, const PtxType &type) {
  if (type == "f64")
    return b_.CreateBitCast(bits, b_.getDoubleTy());
  if (type == "tf32") // the low bits are not looked at
    return b_.CreateBitCast(b_.CreateAnd(bits, e_.number(~0x1fffu)), b_.getFloatTy());
  if (type.kind == TypeKind::Small)
    return decode(e_, *findFormat(type.name), bits);
  if (type.isFloat())
    return b_.CreateFPExt(b_.CreateBitCast(bits, e_.ir(type)), b_.getFloatTy());
  return b_.CreateIntCast(bits, b_.getInt32Ty(), type.isSigned());
}

SmallVector<Value *, 16> Product::elementsOf(Value *word, const PtxType &type) {
  SmallVector<Value *, 16> elements;
  for (unsigned at = 0; at < wordBits(); at += type.elementBits)
    elements.push_back(
        element(b_.CreateTrunc(b_.CreateLShr(word, at), b_.getIntNTy(type.elementBits)), type));
  return elements;
}

/// sum + left * right, of a word of each.
Value *Product::add(Value *sum, Value *left, Value *right) {
  if (a_.elementBits == 1) {
    Value *both = bitOperation_ == "xor" ? b_.CreateXor(left, right) : b_.CreateAnd(left, right);
    return b_.CreateAdd(sum, b_.CreateUnaryIntrinsic(Intrinsic::ctpop, both));
  }
  if (a_.elementBits == 8 && isInteger() && a_.kind == bType_.kind) {
    Value *dot = e_.library(a_.isSigned() ? "__heddle_dot" : "__heddle_dot_unsigned",
                            b_.getInt32Ty(), {left, right});
    return b_.CreateAdd(sum, dot);
  }
  for (auto [x, y] : zip_equal(elementsOf(left, a_), elementsOf(right, bType_)))
    sum = isInteger() ? b_.CreateAdd(sum, b_.CreateMul(x, y))
                      : b_.CreateIntrinsic(Intrinsic::fma, sum->getType(), {x, y, sum});
  return sum;
}

void Product::accumulate() {
  Value *lane = laneNumber(e_);
  Value *group = b_.CreateAnd(lane, e_.number(28)), *member = b_.CreateAnd(lane, e_.number(3));
  SmallVector<Value *, 8> start = sums_;
  if (isInteger()) // of the products alone, which cannot overflow
    for (Value *&sum : sums_)
      sum = e_.number(0);
  for (unsigned w = 0; w < words(); ++w) {
    Value *inRow = b_.CreateOr(group, e_.number(w % 4));
    SmallVector<Value *, 2> columns;
    for (unsigned column = 0; column < 2; ++column) {
      Value *from = b_.CreateAdd(b_.CreateShl(member, 3), e_.number(4 * column + w % 4));
      columns.push_back(fromLane(e_, right_[w / 4], from));
    }
    for (unsigned row = 0; row < rows(); ++row) {
      Value *left = fromLane(e_, left_[w / 4 * rows() + row], inRow);
      for (unsigned column = 0; column < 2; ++column) {
        Value *&sum = sums_[2 * row + column];
        sum = add(sum, left, columns[column]);
      }
    }
  }
  if (isInteger())
    for (auto [sum, first] : zip_equal(sums_, start))
      sum = saturates_ ? b_.CreateBinaryIntrinsic(Intrinsic::sadd_sat, sum, first)
                       : b_.CreateAdd(sum, first);
}

void Product::writeResult() {
  SmallVector<Operand, 8> targets = e_.elements(0);
  SmallVector<Value *, 8> values = sums_;
  if (d_ == "f16") {
    values.clear();
    for (unsigned row = 0; row < rows(); ++row)
      values.push_back(e_.join({b_.CreateFPTrunc(sums_[2 * row], b_.getHalfTy()),
                                b_.CreateFPTrunc(sums_[2 * row + 1], b_.getHalfTy())}));
  }
  if (targets.size() != values.size())
    return e_.fail("expected " + Twine(values.size()) + " registers for operand 1");
  for (auto [target, value] : zip_equal(targets, values))
    e_.write(target, value);
}

} // namespace

void lowerMma(Emitter &e) {
  if (e.has("m8n8k4") && e.has("f16")) {
    e.take("sync");
    e.take("aligned");
    e.take("m8n8k4");
    return emitQuadProduct(e);
  }
  Product(e).emit();
}

} // namespace heddle::frontend::ptx
