// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, wmma.store and wmma.mma (PTX ISA, "wmma"). Where the elements of a fragment lie is
// left open there. Here they lie as in nvcuda::wmma's (heddle/matrix_fragments.h), and a product is
// some of mma's: one factor is the left one, of tiles of 16 (8) rows, the other the right one, of
// tiles of 8 columns.
//
//     shape                left          right
//     m16n16               A, 1 tile     B, 2 tiles
//     m32n8                A, 2          B, 1
//     m8n32                B, 2          A, 1       the product is transposed
//     m8n8                 A, 1 (of 8)   B, 1
//
// Lane 4g + t holds of each tile row (column) g, and of 16 rows g + 8, too; of these the words t,
// t + 4, ... Of a tile of the result it holds columns 2t and 2t + 1. Fragments of halves have eight
// registers for any shape, as each element lies in two lanes on a GPU: what is too many repeats the
// first ones, and nobody reads it.
#include "frontend/ptx/matrix_emitter.h"
#include "frontend/ptx/memory_modifiers.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Fragments {
  MatrixShape shape;

  bool isTransposed() const { return shape.m == 8 && shape.n == 32; }
  unsigned left() const { return isTransposed() ? shape.n : shape.m; }
  unsigned right() const { return isTransposed() ? shape.m : shape.n; }
  unsigned leftTile() const { return left() == 8 ? 8 : 16; }
  unsigned leftTiles() const { return left() / leftTile(); }
  unsigned rightTiles() const { return right() / 8; }
  unsigned ofTile() const { return leftTile() / 4; } ///< elements of a result's tile in a lane
  unsigned results() const { return shape.m * shape.n / 32; }

  /// The shapes that the ISA has for elements of a factor.
  bool holds(const PtxType &type) const {
    const auto &[m, n, k] = shape;
    bool is16 = (m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32);
    bool is8 = m == 8 && n == 8;
    if (type == "f16" || type == "bf16" || type == "s8" || type == "u8")
      return is16 && k == 16;
    if (type == "tf32")
      return m == 16 && n == 16 && k == 8;
    if (type == "f64")
      return is8 && k == 4;
    return is8 && ((type.elementBits == 4 && k == 32) || (type == "b1" && k == 128));
  }
};

/// A matrix in memory, or the rest of an instruction about one.
struct Matrix {
  Fragments fragments;
  bool isRowMajor = false;
  StringRef space;
  PtxType type;
};

Matrix takeMatrix(Emitter &e) {
  Matrix matrix;
  e.failUnless(e.take("sync") && e.take("aligned"), "expected .sync.aligned");
  std::optional<MatrixShape> shape = parseShape(e.takePrefixed("m"));
  e.failUnless(shape.has_value(), "expected a shape");
  matrix.fragments.shape = shape.value_or(MatrixShape{16, 16, 16});
  StringRef layout = e.takeOneOf({"row", "col"});
  e.failUnless(!layout.empty(), "expected .row or .col");
  matrix.isRowMajor = layout == "row";
  matrix.space = takeSpace(e);
  matrix.type = e.takeType();
  return matrix;
}

/// The words of a factor that a lane has.
class Factor {
public:
  Factor(Emitter &e, const Matrix &matrix, bool isA) : e_(e), b_(e.b), matrix_(matrix) {
    const Fragments &f = matrix.fragments;
    bool isLeft = isA != f.isTransposed();
    outer_ = isA ? f.shape.m : f.shape.n;
    tile_ = isLeft ? f.leftTile() : 8;
    alongMemory_ = isA == matrix.isRowMajor;
    wordBits_ = matrix.type == "f64" ? 64 : 32;
    perWord_ = wordBits_ / matrix.type.elementBits;
    inRow_ = f.shape.k / perWord_ / 4;
  }

  unsigned words() const { return outer_ / 8 * inRow_; }
  unsigned leadingSize() const { return alongMemory_ ? matrix_.fragments.shape.k : outer_; }
  bool lies() const { return alongMemory_ || matrix_.type.elementBits >= 8; }

  Value *load(Value *base, Value *stride, unsigned word) {
    unsigned rows = tile_ / 8, ofTile = inRow_ * rows;
    Value *lane = laneNumber(e_);
    Value *outer =
        b_.CreateAdd(b_.CreateLShr(lane, 2), e_.number(word / ofTile * tile_ + word % rows * 8));
    Value *inner = b_.CreateAdd(b_.CreateAnd(lane, 3), e_.number(word % ofTile / rows * 4));
    inner = b_.CreateMul(inner, e_.number(perWord_));
    if (alongMemory_)
      return element(base, stride, outer, inner, wordBits_);
    SmallVector<Value *, 4> parts;
    for (unsigned i = 0; i < perWord_; ++i)
      parts.push_back(element(base, stride, b_.CreateAdd(inner, e_.number(i)), outer,
                              matrix_.type.elementBits));
    return e_.join(parts);
  }

private:
  /// `bits` at the place (line, i) of lines that are `stride` elements apart.
  Value *element(Value *base, Value *stride, Value *line, Value *i, unsigned bits) {
    auto wide = [&](Value *v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
    Value *at = b_.CreateAdd(b_.CreateMul(wide(line), wide(stride)), wide(i));
    at = b_.CreateUDiv(b_.CreateMul(at, e_.number(matrix_.type.elementBits, 64)), e_.number(8, 64));
    return b_.CreateAlignedLoad(b_.getIntNTy(bits), b_.CreateGEP(b_.getInt8Ty(), base, at),
                                Align(bits / 8));
  }

  Emitter &e_;
  IRBuilder<> &b_;
  const Matrix &matrix_;
  unsigned outer_, tile_, wordBits_, perWord_, inRow_;
  bool alongMemory_;
};

/// The address of element i of a lane's part of C or D.
Value *sumAddress(Emitter &e, const Matrix &matrix, Value *base, Value *stride, unsigned i) {
  IRBuilder<> &b = e.b;
  const Fragments &f = matrix.fragments;
  unsigned tile = i / f.ofTile(), part = i % f.ofTile();
  Value *lane = laneNumber(e);
  Value *left = b.CreateAdd(b.CreateLShr(lane, 2),
                            e.number(tile / f.rightTiles() * f.leftTile() + part / 2 * 8));
  Value *right = b.CreateAdd(b.CreateShl(b.CreateAnd(lane, 3), 1),
                             e.number(tile % f.rightTiles() * 8 + part % 2));
  if (matrix.isRowMajor == f.isTransposed())
    std::swap(left, right);
  auto wide = [&](Value *v) { return b.CreateZExt(v, b.getInt64Ty()); };
  return b.CreateGEP(e.ir(matrix.type), base,
                     b.CreateAdd(b.CreateMul(wide(left), wide(stride)), wide(right)));
}

bool isSum(const PtxType &type) {
  return type == "f16" || type == "f32" || type == "s32" || type == "f64";
}

/// The distance between rows or columns in elements, which may be left out.
Value *strideOf(Emitter &e, unsigned operand, unsigned leadingSize) {
  return e.count() > operand ? e.bits(operand, 32) : e.number(leadingSize);
}

unsigned leadingSizeOfSum(const Matrix &matrix) {
  return matrix.isRowMajor ? matrix.fragments.shape.n : matrix.fragments.shape.m;
}

/// Registers of a factor that an instruction may have for `words` of them.
bool isRightCount(const PtxType &type, size_t registers, unsigned words) {
  return registers == words || (type == "f16" && registers == 8);
}

void loadSum(Emitter &e, const Matrix &matrix) {
  SmallVector<Value *, 8> values;
  Value *base = e.address(1, matrix.space), *stride = strideOf(e, 2, leadingSizeOfSum(matrix));
  unsigned count = matrix.fragments.results();
  for (unsigned i = 0; i < count; ++i) {
    Value *value = e.b.CreateLoad(e.ir(matrix.type), sumAddress(e, matrix, base, stride, i));
    values.push_back(matrix.type == "f16" ? e.b.CreateFPExt(value, e.b.getFloatTy()) : value);
  }
  writeSums(e, 0, matrix.type, values);
}

} // namespace

/// wmma.load.{a,b,c}.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE registers, [address] {, stride};
void lowerWmmaLoad(Emitter &e) {
  StringRef which = e.word(2);
  Matrix matrix = takeMatrix(e);
  if (which == "c")
    return isSum(matrix.type) ? loadSum(e, matrix) : e.fail("this type is not supported");
  if (!matrix.fragments.holds(matrix.type))
    return e.fail("this shape of this type is not supported");
  Factor factor(e, matrix, which == "a");
  SmallVector<Operand, 8> targets = e.elements(0);
  if (!factor.lies())
    return e.fail("rows of A and columns of B must lie in memory");
  if (!isRightCount(matrix.type, targets.size(), factor.words()))
    return e.fail("expected " + Twine(factor.words()) + " registers");
  Value *base = e.address(1, matrix.space), *stride = strideOf(e, 2, factor.leadingSize());
  SmallVector<Value *, 8> words;
  for (unsigned i = 0; i < factor.words(); ++i)
    words.push_back(factor.load(base, stride, i));
  for (unsigned i = 0; i < targets.size(); ++i)
    e.write(targets[i], words[i % words.size()]);
}

/// wmma.store.d.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE [address], registers {, stride};
void lowerWmmaStore(Emitter &e) {
  Matrix matrix = takeMatrix(e);
  if (!isSum(matrix.type))
    return e.fail("this type is not supported");
  Value *base = e.address(0, matrix.space), *stride = strideOf(e, 2, leadingSizeOfSum(matrix));
  SmallVector<Value *, 8> values = readSums(e, 1, matrix.type, matrix.fragments.results());
  for (auto [i, value] : enumerate(values)) {
    Value *stored = matrix.type == "f16" ? e.b.CreateFPTrunc(value, e.b.getHalfTy()) : value;
    e.b.CreateStore(stored, sumAddress(e, matrix, base, stride, unsigned(i)));
  }
}

namespace {

class WmmaProduct {
public:
  explicit WmmaProduct(Emitter &e) : e_(e) {}

  void emit() {
    takeModifiers();
    if (!fragments_.holds(tile_.a) || !(tile_.a == tile_.b) || !hasRightSums())
      return e_.fail("this shape of these types is not supported");
    SmallVector<Value *, 8> a = readFactor(1, fragments_.shape.m),
                            b = readFactor(2, fragments_.shape.n);
    SmallVector<Value *, 8> sums = readSums(e_, 3, c_, fragments_.results());
    if (hasFailed_ || sums.empty())
      return;
    if (fragments_.isTransposed())
      std::swap(a, b);
    writeSums(e_, 0, d_, multiply(a, b, sums));
  }

private:
  void takeModifiers() {
    tile_.bitOperation = e_.takeOneOf({"xor", "and"});
    if (!tile_.bitOperation.empty())
      e_.failUnless(e_.take("popc"), "expected .popc");
    e_.failUnless(e_.take("sync") && e_.take("aligned"), "expected .sync.aligned");
    // Layouts of memory, which do not change those of registers.
    e_.failUnless(!e_.takeOneOf({"row", "col"}).empty() && !e_.takeOneOf({"row", "col"}).empty(),
                  "expected the layouts of A and B");
    std::optional<MatrixShape> shape = parseShape(e_.takePrefixed("m"));
    e_.failUnless(shape.has_value(), "expected a shape");
    fragments_.shape = shape.value_or(MatrixShape{16, 16, 16});
    e_.take("rn");
    saturates_ = e_.take("satfinite");
    d_ = e_.takeType();
    c_ = e_.takeType();
    tile_.a = tile_.b = *findType("f16");
    if (std::optional<PtxType> third = e_.takeTypeIf()) {
      tile_.a = c_;
      tile_.b = *third;
      c_ = e_.takeType();
    }
    tile_.isInteger = d_ == "s32";
    tile_.saturates = saturates_;
    tile_.shape = {fragments_.leftTile(), 8, fragments_.shape.k};
  }

  bool hasRightSums() const {
    auto both = [&](StringRef type) { return d_ == type && c_ == type; };
    if (tile_.a == "f16")
      return (d_ == "f16" || d_ == "f32") && (c_ == "f16" || c_ == "f32");
    if (tile_.a == "f64")
      return both("f64");
    if (tile_.a == "b1" && tile_.bitOperation.empty())
      return false;
    return tile_.a.isInteger() ? both("s32") : both("f32");
  }

  SmallVector<Value *, 8> readFactor(unsigned operand, unsigned outer) {
    unsigned wanted = outer / 8 * (fragments_.shape.k * tile_.a.elementBits / tile_.wordBits() / 4);
    SmallVector<Operand, 8> operands = e_.elements(operand);
    SmallVector<Value *, 8> words;
    if (!isRightCount(tile_.a, operands.size(), wanted)) {
      hasFailed_ = true;
      e_.fail("expected " + Twine(wanted) + " registers for operand " + Twine(operand + 1));
      return words;
    }
    for (unsigned i = 0; i < wanted; ++i)
      words.push_back(e_.read(operands[i], {"b", TypeKind::Bits, tile_.wordBits(), 1}));
    return words;
  }

  SmallVector<Value *, 8> multiply(ArrayRef<Value *> left, ArrayRef<Value *> right,
                                   ArrayRef<Value *> sums) {
    unsigned leftWords = left.size() / fragments_.leftTiles(),
             rightWords = right.size() / fragments_.rightTiles();
    unsigned count = fragments_.ofTile();
    SmallVector<Value *, 8> results;
    for (unsigned i = 0; i < fragments_.leftTiles() * fragments_.rightTiles(); ++i) {
      SmallVector<Value *, 8> part =
          tile_.multiply(e_, left.slice(i / fragments_.rightTiles() * leftWords, leftWords),
                         right.slice(i % fragments_.rightTiles() * rightWords, rightWords),
                         sums.slice(i * count, count));
      for (Value *sum : part)
        results.push_back(saturates_ && !tile_.isInteger ? finite(sum) : sum);
    }
    return results;
  }

  /// Infinities as D's largest number, NaN as 0.
  Value *finite(Value *sum) {
    IRBuilder<> &b = e_.b;
    APFloat largest = APFloat::getLargest(e_.ir(d_)->getFltSemantics());
    bool lost;
    largest.convert(sum->getType()->getFltSemantics(), APFloat::rmNearestTiesToEven, &lost);
    Value *most = ConstantFP::get(sum->getType(), largest), *least = b.CreateFNeg(most);
    Value *high = b.CreateSelect(b.CreateFCmpOGT(sum, most), most, sum);
    Value *low = b.CreateSelect(b.CreateFCmpOLT(high, least), least, high);
    return b.CreateSelect(b.CreateFCmpUNO(sum, sum), ConstantFP::get(sum->getType(), 0.0), low);
  }

  Emitter &e_;
  Fragments fragments_;
  TileProduct tile_;
  PtxType d_, c_;
  bool saturates_ = false, hasFailed_ = false;
};

} // namespace

/// wmma.mma{.op.popc}.sync.aligned.LAYOUT.LAYOUT.SHAPE{.rn}.D{.A.B}.C{.satfinite} d, a, b, c;
void lowerWmmaMma(Emitter &e) { WmmaProduct(e).emit(); }

} // namespace heddle::frontend::ptx
