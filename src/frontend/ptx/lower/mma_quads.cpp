// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.m8n8k4 of halves, Volta's: four products at once, each by a quad of lanes 4q to 4q + 3 and
// the quad 16 lanes on, which has rows (columns) 4 to 7 (PTX ISA, "Matrix Fragments for mma.m8n8k4
// with .f16 floating point type"). With j the lane's place in its quad and h = 1 in the upper half
// of the warp, register element i of a lane is
//
//     A row, B col    row (column) j + 4h, inner index i
//     A col, B row    row (column) i + 4h, inner index j
//     C, D of halves  row j + 4h, column i
//     C, D of floats  row (j & 1) + (i & 2) + 4h, column (i & 4) + (j & 2) + (i & 1)
#include "frontend/ptx/matrix_emitter.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class QuadProduct {
public:
  QuadProduct(Emitter &e) : e_(e), b_(e.b), lane_(laneNumber(e)) {
    quad_ = b_.CreateAnd(lane_, e.number(12));
    place_ = b_.CreateAnd(lane_, e.number(3));
    half_ = b_.CreateLShr(lane_, 4);
  }

  void emit() {
    rowMajorA_ = e_.takeOneOf({"row", "col"}) == "row";
    rowMajorB_ = e_.takeOneOf({"row", "col"}) == "row";
    d_ = e_.takeType();
    PtxType a = e_.takeType(), b = e_.takeType();
    c_ = e_.takeType();
    auto isSum = [](const PtxType &type) { return type == "f16" || type == "f32"; };
    if (!(a == "f16") || !(b == "f16") || !isSum(c_) || !isSum(d_) || (c_ == "f32" && d_ == "f16"))
      return e_.fail("these types are not supported");
    SmallVector<Operand, 8> targets = e_.elements(0), sums = e_.elements(3);
    if (!readWords(1, a_) || !readWords(2, bWords_) || sums.size() != registers(c_) ||
        targets.size() != registers(d_))
      return e_.fail("another number of registers");
    // C of halves and D of floats have different layouts, so C is taken where D is computed.
    SmallVector<Value *, 8> results;
    for (unsigned i = 0; i < 8; ++i)
      results.push_back(dotProduct(rowOf(i), columnOf(i), startOf(i, sums)));
    write(targets, results);
  }

private:
  static unsigned registers(const PtxType &type) { return type == "f16" ? 4 : 8; }

  bool readWords(unsigned operand, SmallVectorImpl<Value *> &words) {
    for (const Operand &each : e_.elements(operand))
      words.push_back(e_.read(each, *findType("b32")));
    return words.size() == 2;
  }

  Value *rowOf(unsigned i) {
    Value *within =
        d_ == "f16" ? place_ : b_.CreateAdd(b_.CreateAnd(place_, e_.number(1)), e_.number(i & 2));
    return b_.CreateAdd(within, b_.CreateShl(half_, 2));
  }
  Value *columnOf(unsigned i) {
    if (d_ == "f16")
      return e_.number(i);
    return b_.CreateAdd(b_.CreateAnd(place_, e_.number(2)), e_.number((i & 4) + (i & 1)));
  }

  /// Half `index` of four in two words, of the lane that has row (column) `outer` of the quads.
  Value *fetch(ArrayRef<Value *> words, Value *outer, unsigned inner, bool isByOuter) {
    Value *inQuad = isByOuter ? b_.CreateAnd(outer, e_.number(3)) : e_.number(inner);
    Value *index = isByOuter ? e_.number(inner) : b_.CreateAnd(outer, e_.number(3));
    Value *from =
        b_.CreateAdd(b_.CreateAdd(quad_, inQuad), b_.CreateShl(b_.CreateLShr(outer, 2), 4));
    Value *isUpper = b_.CreateICmpUGE(index, e_.number(2));
    Value *word =
        b_.CreateSelect(isUpper, fromLane(e_, words[1], from), fromLane(e_, words[0], from));
    Value *shift = b_.CreateShl(b_.CreateAnd(index, e_.number(1)), 4);
    Value *half = b_.CreateTrunc(b_.CreateLShr(word, shift), b_.getInt16Ty());
    return b_.CreateFPExt(b_.CreateBitCast(half, b_.getHalfTy()), b_.getFloatTy());
  }

  Value *dotProduct(Value *row, Value *column, Value *sum) {
    for (unsigned k = 0; k < 4; ++k) {
      Value *x = fetch(a_, row, k, rowMajorA_), *y = fetch(bWords_, column, k, !rowMajorB_);
      sum = b_.CreateIntrinsic(Intrinsic::fma, sum->getType(), {x, y, sum});
    }
    return sum;
  }

  /// The element of C that element i of D is added to.
  Value *startOf(unsigned i, ArrayRef<Operand> sums) {
    if (c_ == "f32")
      return e_.read(sums[i], c_);
    if (d_ == "f16")
      return b_.CreateFPExt(
          e_.split(e_.read(sums[i / 2], *findType("b32")), *findType("f16"))[i % 2],
          b_.getFloatTy());
    // The lane that has the row holds all columns of it.
    Value *row = rowOf(i), *column = columnOf(i), *word = nullptr;
    Value *from = b_.CreateAdd(b_.CreateAdd(quad_, b_.CreateAnd(row, e_.number(3))),
                               b_.CreateShl(b_.CreateLShr(row, 2), 4));
    for (unsigned w = 0; w < 4; ++w) {
      Value *here = fromLane(e_, e_.read(sums[w], *findType("b32")), from);
      Value *isIt = b_.CreateICmpEQ(b_.CreateLShr(column, 1), e_.number(w));
      word = word ? b_.CreateSelect(isIt, here, word) : here;
    }
    Value *shift = b_.CreateShl(b_.CreateAnd(column, e_.number(1)), 4);
    Value *half = b_.CreateTrunc(b_.CreateLShr(word, shift), b_.getInt16Ty());
    return b_.CreateFPExt(b_.CreateBitCast(half, b_.getHalfTy()), b_.getFloatTy());
  }

  void write(ArrayRef<Operand> targets, ArrayRef<Value *> results) {
    for (unsigned i = 0; i < targets.size(); ++i) {
      if (d_ == "f32") {
        e_.write(targets[i], results[i]);
        continue;
      }
      e_.write(targets[i], e_.join({b_.CreateFPTrunc(results[2 * i], b_.getHalfTy()),
                                    b_.CreateFPTrunc(results[2 * i + 1], b_.getHalfTy())}));
    }
  }

  Emitter &e_;
  IRBuilder<> &b_;
  Value *lane_, *quad_, *place_, *half_;
  bool rowMajorA_ = false, rowMajorB_ = false;
  PtxType d_, c_;
  SmallVector<Value *, 2> a_, bWords_;
};

} // namespace

void emitQuadProduct(Emitter &e) { QuadProduct(e).emit(); }

} // namespace heddle::frontend::ptx
