// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves of matrices of 8x8 halves between shared memory and the registers of a warp (PTX ISA,
// "ldmatrix", "stmatrix", "movmatrix"). Lane 4r + c holds the elements 2c and 2c + 1 of row r, and
// lane 8m + r the address of row r of matrix m: so each lane asks the one that has its row's
// address, by a shuffle whose pattern is constant, and accesses its own words.
#include "frontend/ptx/matrix_emitter.h"
#include "frontend/ptx/memory_modifiers.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

Value *fromLane(Emitter &e, Value *value, Value *lane) {
  Type *type = value->getType();
  Value *bits = e.asBits(value);
  SmallVector<Value *, 2> words;
  for (Value *word : e.split(bits, *findType("b32"))) {
    words.push_back(
        e.intrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {e.number(~0u), word, lane, e.number(31)}));
    cast<Instruction>(words.back())->setMetadata(MatrixNote, MDNode::get(e.b.getContext(), {}));
  }
  return e.b.CreateBitCast(e.join(words), type);
}

Value *laneNumber(Emitter &e) { return e.intrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}); }

namespace {

/// What ldmatrix and stmatrix say, and where a lane's elements lie.
class Matrices {
public:
  Matrices(Emitter &e, unsigned address) : e_(e) {
    e.take("sync");
    e.take("aligned");
    e.failUnless(e.take("m8n8"), "expected .m8n8");
    StringRef number = e.takeOneOf({"x1", "x2", "x4"});
    e.failUnless(!number.empty(), "expected .x1, .x2 or .x4");
    count = number.empty() ? 1 : number[1] - '0';
    isTransposed = e.take("trans");
    StringRef space = takeSpace(e);
    e.failUnless(space.empty() || space == "shared", "expected .shared");
    e.failUnless(e.take("b16"), "expected .b16");
    Value *pointer = e.address(address, space.empty() ? "" : "shared");
    base_ = e.sharedMemory();
    Value *offset = e.b.CreateSub(e.b.CreatePtrToInt(pointer, e.b.getInt64Ty()),
                                  e.b.CreatePtrToInt(base_, e.b.getInt64Ty()));
    offset_ = e.b.CreateTrunc(offset, e.b.getInt32Ty());
    Value *lane = laneNumber(e);
    row_ = e.b.CreateLShr(lane, 2);
    column_ = e.b.CreateAnd(lane, 3);
  }

  /// The address of the lane's word in matrix i, or of its half `part` where it is transposed.
  Value *place(unsigned i, unsigned part) {
    IRBuilder<> &b = e_.b;
    Value *row = isTransposed ? b.CreateAdd(b.CreateShl(column_, 1), e_.number(part)) : row_;
    Value *start = fromLane(e_, offset_, b.CreateAdd(row, e_.number(8 * i)));
    Value *within = isTransposed ? b.CreateShl(row_, 1) : b.CreateShl(column_, 2);
    Value *offset =
        b.CreateAdd(b.CreateZExt(start, b.getInt64Ty()), b.CreateZExt(within, b.getInt64Ty()));
    return b.CreateGEP(b.getInt8Ty(), base_, offset);
  }

  unsigned count;
  bool isTransposed;

private:
  Emitter &e_;
  Value *base_, *offset_, *row_, *column_;
};

} // namespace

void lowerLdmatrix(Emitter &e) {
  Matrices matrices(e, 1);
  SmallVector<Operand, 8> targets = e.elements(0);
  if (targets.size() != matrices.count)
    return e.fail("expected " + Twine(matrices.count) + " registers");
  SmallVector<Value *, 4> words;
  for (unsigned i = 0; i < matrices.count; ++i) {
    auto load = [&](Type *type, unsigned part) {
      return e.b.CreateLoad(type, matrices.place(i, part));
    };
    words.push_back(matrices.isTransposed
                        ? e.join({load(e.b.getInt16Ty(), 0), load(e.b.getInt16Ty(), 1)})
                        : load(e.b.getInt32Ty(), 0));
  }
  for (auto [target, word] : zip_equal(targets, words))
    e.write(target, word);
}

void lowerStmatrix(Emitter &e) {
  Matrices matrices(e, 0);
  SmallVector<Operand, 8> sources = e.elements(1);
  if (sources.size() != matrices.count)
    return e.fail("expected " + Twine(matrices.count) + " registers");
  for (auto [i, source] : enumerate(sources)) {
    Value *word = e.read(source, *findType("b32"));
    if (!matrices.isTransposed)
      e.b.CreateStore(word, matrices.place(i, 0));
    else
      for (auto [part, half] : enumerate(e.split(word, *findType("b16"))))
        e.b.CreateStore(half, matrices.place(i, part));
  }
}

/// The transposed matrix: element e of lane 4r + c was half r % 2 of lane 4(2c + e) + r / 2.
void lowerMovmatrix(Emitter &e) {
  e.take("sync");
  e.take("aligned");
  e.failUnless(e.take("m8n8") && e.take("trans") && e.take("b16"), "expected .m8n8.trans.b16");
  Value *word = e.bits(1, 32), *lane = laneNumber(e);
  Value *row = e.b.CreateLShr(lane, 2), *column = e.b.CreateAnd(lane, 3);
  SmallVector<Value *, 2> halves;
  for (unsigned part = 0; part < 2; ++part) {
    Value *from = e.b.CreateAdd(e.b.CreateShl(column, 3), e.number(4 * part));
    Value *other = fromLane(e, word, e.b.CreateAdd(from, e.b.CreateLShr(row, 1)));
    Value *shifted = e.b.CreateLShr(other, e.b.CreateShl(e.b.CreateAnd(row, 1), 4));
    halves.push_back(e.b.CreateTrunc(shifted, e.b.getInt16Ty()));
  }
  e.write(0, e.join(halves));
}

} // namespace heddle::frontend::ptx
