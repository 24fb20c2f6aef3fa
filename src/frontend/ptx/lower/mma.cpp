// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by a warp (PTX ISA, "mma", "mma.sp"): D = A * B + C. The layouts of all
// shapes but Volta's m8n8k4 of halves (mma_quads.cpp) are one. Take a row of A, and a column of B,
// as words of 32 bits (of 64 for doubles), each of as many elements as fit, and let lane 4g + t be
// member t of group g:
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
//
// Sparse products have only half of the elements of A, and metadata that say where these lie in
// their row (PTX ISA, "Sparse matrix storage"). In all formats these are pairs of 2-bit numbers,
// one pair for each four units of which two are there: units of 16 bits for halves (a tf32 is two
// of them), of bytes for bytes (a byte is two numbers of 4 bits). The words of A that are there lie
// as above, as if they were all; to word w belong the words 2w and 2w + 1 of a column of B, of
// which the metadata choose one word's worth of units. So the row chooses its column's word, and
// the rest is the same. Of the four lanes of a group some have the metadata of its rows g and g +
// 8; f is the selector:
//
//     units of 16 bits, 16 in a row   lane f: low half row g, high half row g + 8
//                       32            lane 2f + w / 4, the same way
//     units of 8 bits,  32            lane 2f: row g, lane 2f + 1: row g + 8
//                       64            lane 2(w / 4), and the next
#include "frontend/ptx/matrix_emitter.h"
#include "frontend/ptx/small_formats.h"

using namespace llvm;

namespace heddle::frontend::ptx {

std::optional<MatrixShape> parseShape(StringRef text) {
  MatrixShape shape;
  if (!text.consume_front("m") || text.consumeInteger(10, shape.m) || !text.consume_front("n") ||
      text.consumeInteger(10, shape.n) || !text.consume_front("k") ||
      text.consumeInteger(10, shape.k) || !text.empty())
    return {};
  return shape;
}

namespace {

/// One tile's product, as the essay says.
class Product {
public:
  Product(Emitter &e, const TileProduct &tile) : e_(e), b_(e.b), tile_(tile), a_(tile.a) {}

  SmallVector<Value *, 8> multiply(ArrayRef<Value *> left, ArrayRef<Value *> right,
                                   ArrayRef<Value *> start);

private:
  Value *element(Value *bits, const PtxType &type);
  SmallVector<Value *, 16> elementsOf(Value *word, const PtxType &type);
  Value *add(Value *sum, Value *left, Value *right);
  Value *columnWord(ArrayRef<Value *> right, unsigned column, unsigned word);
  Value *metadataOf(unsigned row, unsigned word);
  Value *chosenUnits(Value *low, Value *high, Value *metadata);

  Emitter &e_;
  IRBuilder<> &b_;
  const TileProduct &tile_;
  const PtxType &a_;
  Value *group_ = nullptr,
        *member_ = nullptr; ///< of the lane: its group's first lane, its place there
};

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
  for (unsigned at = 0; at < tile_.wordBits(); at += type.elementBits)
    elements.push_back(
        element(b_.CreateTrunc(b_.CreateLShr(word, at), b_.getIntNTy(type.elementBits)), type));
  return elements;
}

/// sum + left * right, of a word of each.
Value *Product::add(Value *sum, Value *left, Value *right) {
  if (a_.elementBits == 1) {
    Value *both =
        tile_.bitOperation == "xor" ? b_.CreateXor(left, right) : b_.CreateAnd(left, right);
    return b_.CreateAdd(sum, b_.CreateUnaryIntrinsic(Intrinsic::ctpop, both));
  }
  if (a_.elementBits == 8 && tile_.isInteger && a_.kind == tile_.b.kind) {
    Value *dot = e_.library(a_.isSigned() ? "__heddle_dot" : "__heddle_dot_unsigned",
                            b_.getInt32Ty(), {left, right});
    return b_.CreateAdd(sum, dot);
  }
  for (auto [x, y] : zip_equal(elementsOf(left, a_), elementsOf(right, tile_.b)))
    sum = tile_.isInteger ? b_.CreateAdd(sum, b_.CreateMul(x, y))
                          : b_.CreateIntrinsic(Intrinsic::fma, sum->getType(),
                                               {tile_.isNegative ? b_.CreateFNeg(x) : x, y, sum});
  return sum;
}

/// Word `word` of column 2t or 2t + 1 of B.
Value *Product::columnWord(ArrayRef<Value *> right, unsigned column, unsigned word) {
  Value *from = b_.CreateAdd(b_.CreateShl(member_, 3), e_.number(4 * column + word % 4));
  return fromLane(e_, right[word / 4], from);
}

/// The bits that say where the elements of word `word` of a row lie, from the lowest on.
Value *Product::metadataOf(unsigned row, unsigned word) {
  bool isLong = tile_.words() == 8; // in words of A that are there
  bool hasBytes = tile_.unitBits() == 8;
  unsigned part = isLong ? word / 4 : 0, first = isLong ? 0 : 2 * tile_.selector;
  unsigned lane = hasBytes ? (isLong ? 2 * part : first) + row
                  : isLong ? 2 * tile_.selector + part
                           : tile_.selector;
  unsigned bit = hasBytes ? 8 * (word % 4) : 16 * row + 4 * (word % 4);
  Value *all = fromLane(e_, tile_.metadata, b_.CreateOr(group_, e_.number(lane)));
  return b_.CreateLShr(all, bit);
}

/// A word's worth of units out of two words of a column.
Value *Product::chosenUnits(Value *low, Value *high, Value *metadata) {
  unsigned bits = tile_.unitBits();
  Value *result = nullptr, *mask = e_.number((1u << bits) - 1);
  for (unsigned i = 0; i < 32 / bits; ++i) {
    Value *index = b_.CreateAnd(b_.CreateLShr(metadata, 2 * i), 3), *from = nullptr;
    if (bits == 8) { // four bytes are a word
      from = i < 2 ? low : high;
    } else {
      from = b_.CreateSelect(b_.CreateICmpUGE(index, e_.number(2)), high, low);
      index = b_.CreateAnd(index, 1);
    }
    Value *unit = b_.CreateAnd(b_.CreateLShr(from, b_.CreateMul(index, e_.number(bits))), mask);
    Value *placed = b_.CreateShl(unit, bits * i);
    result = result ? b_.CreateOr(result, placed) : placed;
  }
  return result;
}

SmallVector<Value *, 8> Product::multiply(ArrayRef<Value *> left, ArrayRef<Value *> right,
                                          ArrayRef<Value *> start) {
  IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.setFastMathFlags(FastMathFlags());
  Value *lane = laneNumber(e_);
  group_ = b_.CreateAnd(lane, e_.number(28));
  member_ = b_.CreateAnd(lane, e_.number(3));
  SmallVector<Value *, 8> sums(start);
  if (tile_.isInteger) // of the products alone, which cannot overflow
    for (Value *&sum : sums)
      sum = e_.number(0);
  unsigned rows = tile_.rows();
  for (unsigned w = 0; w < tile_.words(); ++w) {
    Value *inRow = b_.CreateOr(group_, e_.number(w % 4));
    SmallVector<Value *, 4> columns; // of a sparse product two words for each
    for (unsigned column = 0; column < 2; ++column)
      for (unsigned part = 0; part < tile_.density(); ++part)
        columns.push_back(columnWord(right, column, tile_.density() * w + part));
    for (unsigned row = 0; row < rows; ++row) {
      Value *word = fromLane(e_, left[w / 4 * rows + row], inRow);
      Value *places = tile_.metadata ? metadataOf(row, w) : nullptr;
      for (unsigned column = 0; column < 2; ++column) {
        Value *other = places ? chosenUnits(columns[2 * column], columns[2 * column + 1], places)
                              : columns[column];
        Value *&sum = sums[2 * row + column];
        sum = add(sum, word, other);
      }
    }
  }
  if (tile_.isInteger)
    for (auto [sum, first] : zip_equal(sums, start))
      sum = tile_.saturates ? b_.CreateBinaryIntrinsic(Intrinsic::sadd_sat, sum, first)
                            : b_.CreateAdd(sum, first);
  return sums;
}

/// The instruction.
class Mma {
public:
  Mma(Emitter &e, bool isSparse) : e_(e), isSparse_(isSparse) {}

  void emit() {
    if (!readModifiers())
      return;
    if (!isKnown())
      return e_.fail("this shape of these types is not supported");
    if (isSparse_)
      tile_.readMetadata(e_, 4);
    unsigned registers = tile_.words() / 4;
    SmallVector<Value *, 8> left = readWords(1, registers * tile_.rows());
    SmallVector<Value *, 8> right = readWords(2, registers * tile_.density());
    SmallVector<Value *, 8> sums = readSums(e_, 3, c_, 2 * tile_.rows());
    if (!hasFailed_ && !sums.empty())
      writeSums(e_, 0, d_, tile_.multiply(e_, left, right, sums));
  }

private:
  bool readModifiers();
  bool isKnown() const;
  SmallVector<Value *, 8> readWords(unsigned operand, unsigned count);

  Emitter &e_;
  bool isSparse_, hasFailed_ = false;
  TileProduct tile_;
  PtxType d_, c_;
};

bool Mma::readModifiers() {
  e_.take("sync");
  e_.take("aligned");
  std::optional<MatrixShape> shape = parseShape(e_.takePrefixed("m"));
  if (!shape) {
    e_.fail("expected a shape");
    return false;
  }
  tile_.shape = *shape;
  StringRef layoutA = e_.takeOneOf({"row"}), layoutB = e_.takeOneOf({"col"});
  e_.failUnless(!layoutA.empty() && !layoutB.empty(), "expected .row.col");
  tile_.saturates = e_.take("satfinite");
  d_ = e_.takeType();
  tile_.a = e_.takeType();
  tile_.b = e_.takeType();
  c_ = e_.takeType();
  tile_.isInteger = d_ == "s32";
  tile_.bitOperation = e_.takeOneOf({"xor", "and"});
  if (!tile_.bitOperation.empty())
    e_.failUnless(e_.take("popc"), "expected .popc");
  e_.take("rn");
  return true;
}

/// The shapes of PTX ISA, "mma" and "mma.sp", by the bits of a row of A that are there: one or two
/// registers of it, and for doubles up to four.
bool Mma::isKnown() const {
  const MatrixShape &shape = tile_.shape;
  const PtxType &a = tile_.a, &b = tile_.b;
  unsigned rowBits = shape.k * a.elementBits / (isSparse_ ? 2 : 1);
  bool isWide = shape.m == 16, isSame = a == b;
  if (shape.n != 8 || (shape.m != 8 && shape.m != 16) || (isSparse_ && !isWide))
    return false;
  if (a == "f64")
    return !isSparse_ && isSame && d_ == "f64" && c_ == "f64" &&
           (shape.k == 4 || (isWide && (shape.k == 8 || shape.k == 16)));
  if (rowBits != 128 && !(isWide && rowBits == 256))
    return false;
  if (a.isInteger())
    return d_ == "s32" && c_ == "s32" && b.elementBits == a.elementBits &&
           (a.elementBits == 8 || a.elementBits == 4 ||
            (a.elementBits == 1 && !isSparse_ && !tile_.bitOperation.empty()));
  bool hasFloats = d_ == "f32" && c_ == "f32";
  bool hasHalves = (d_ == "f16" || d_ == "f32") && (c_ == "f16" || c_ == "f32");
  if (!isWide)
    return false;
  if (a == "f16")
    return isSame && hasHalves;
  if (a.kind == TypeKind::Small)
    return b.kind == TypeKind::Small && !a.isPacked() && !b.isPacked() && hasHalves &&
           (!isSparse_ || shape.k == 64);
  return isSame && hasFloats && (a == "bf16" || a == "tf32");
}

SmallVector<Value *, 8> Mma::readWords(unsigned operand, unsigned count) {
  SmallVector<Operand, 8> operands = e_.elements(operand);
  SmallVector<Value *, 8> words;
  hasFailed_ |= operands.size() != count;
  if (operands.size() != count)
    e_.fail("expected " + Twine(count) + " registers for operand " + Twine(operand + 1));
  for (const Operand &each : operands)
    words.push_back(e_.read(each, {"b", TypeKind::Bits, tile_.wordBits(), 1}));
  return words;
}

} // namespace

void TileProduct::readMetadata(Emitter &e, unsigned operand) {
  metadata = e.bits(operand, 32);
  const int64_t number = e.constant(operand + 1);
  const bool isLong = words() == 8, hasBytes = unitBits() == 8;
  const int64_t choices = hasBytes ? (isLong ? 1 : 2) : isLong ? 2 : 4;
  e.failUnless(number >= 0 && number < choices, "the selector must be below " + Twine(choices));
  selector = unsigned(number);
}

SmallVector<Value *, 8> TileProduct::multiply(Emitter &e, ArrayRef<Value *> left,
                                              ArrayRef<Value *> right,
                                              ArrayRef<Value *> start) const {
  return Product(e, *this).multiply(left, right, start);
}

SmallVector<Value *, 8> readSums(Emitter &e, unsigned operand, const PtxType &type,
                                 unsigned count) {
  SmallVector<Value *, 8> elements;
  SmallVector<Operand, 8> operands = e.elements(operand);
  unsigned registers = type == "f16" ? count / 2 : count;
  if (operands.size() != registers) {
    e.fail("expected " + Twine(registers) + " registers for operand " + Twine(operand + 1));
    return elements;
  }
  for (const Operand &each : operands) {
    if (type == "f16")
      for (Value *half : e.split(e.read(each, *findType("b32")), type))
        elements.push_back(e.b.CreateFPExt(half, e.b.getFloatTy()));
    else
      elements.push_back(e.read(each, type));
  }
  return elements;
}

void writeSums(Emitter &e, unsigned operand, const PtxType &type, ArrayRef<Value *> sums) {
  SmallVector<Operand, 8> targets = e.elements(operand);
  SmallVector<Value *, 8> values(sums);
  if (type == "f16") {
    values.clear();
    for (unsigned i = 0; i < sums.size(); i += 2)
      values.push_back(e.join({e.b.CreateFPTrunc(sums[i], e.b.getHalfTy()),
                               e.b.CreateFPTrunc(sums[i + 1], e.b.getHalfTy())}));
  }
  if (targets.size() != values.size())
    return e.fail("expected " + Twine(values.size()) + " registers for operand " +
                  Twine(operand + 1));
  for (auto [target, value] : zip_equal(targets, values))
    e.write(target, value);
}

void lowerMma(Emitter &e) {
  if (e.has("m8n8k4") && e.has("f16")) {
    e.take("sync");
    e.take("aligned");
    e.take("m8n8k4");
    return emitQuadProduct(e);
  }
  Mma(e, /*isSparse=*/false).emit();
}

/// mma.sp, and mma.sp::ordered_metadata, which promises that the numbers of a pair ascend.
void lowerSparseMma(Emitter &e) { Mma(e, /*isSparse=*/true).emit(); }

} // namespace heddle::frontend::ptx
