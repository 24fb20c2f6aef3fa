// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by four warps (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"):
//
//     wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16  {d...}, a, b, p, 1, 1, 0, 0;
//
// D += A * B, or D = A * B where p is false. Warp w of the group has rows 16w to 16w + 15 of A and D
// in the layouts of `mma`, for each 8 columns of B and D. So the product is one `mma` for each 8
// columns, whose words come from registers or, by a descriptor of 64 bits, from shared memory:
//
//     bits 0-13   address of the matrix    16-29  LBO, "leading dimension byte offset"
//     bits 32-45  SBO, "stride ..."        62-63  swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
//
// (the first three in units of 16 bytes). Take a line of the matrix, a row of A or a column of B, and
// a place k in it. A word of 16 bytes lies, where lines are contiguous (K-major), at
//
//     no swizzle   line % 8 * 16     + line / 8 * SBO + k / 16 bytes * LBO
//     S bytes      line % 8 * S      + line / 8 * SBO + k
//
// and where k's neighbours are apart (MN-major, .trans), 8 lines of 16 bits in a word, at
//
//     no swizzle   line / 8 * SBO + k % 8 * 16 + k / 8 * LBO
//     S bytes      line / 8 % (S / 16) * 16 + line / 8 / (S / 16) * LBO + k % 8 * S + k / 8 * SBO
//
// behind the start. A swizzle then flips the bits of the address that number the word in a row of S
// bytes by those that number the row of 128 bytes.
//
// Of a sparse product, wgmma.mma_async.sp, A has half of its elements, in the same rows of 32 bytes;
// metadata choose their places in lines of B of 64 bytes, as for mma.sp (mma.cpp):
//
//     wgmma.mma_async.sp.sync.aligned.m64n32k32.f32.f16.f16  {d...}, a, b, metadata, selector, p, ...
//
// The product is there when the instruction is over: fences, groups and waits have nothing to do.
#include "frontend/ptx/matrix_emitter.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// A matrix in shared memory, of which a lane reads words of 32 bits.
class SharedMatrix {
public:
  SharedMatrix(Emitter &e, Value *descriptor, bool isTransposed)
      : e_(e), b_(e.b), isTransposed_(isTransposed) {
    base_ = e.sharedMemory();
    start_ = field(descriptor, 0);
    leading_ = field(descriptor, 16);
    stride_ = field(descriptor, 32);
    mode_ = b_.CreateTrunc(b_.CreateLShr(descriptor, 62), b_.getInt32Ty());
    isPlain_ = b_.CreateICmpEQ(mode_, e.number(0));
    // 16, 128, 64, 32 bytes: 1, 8, 4, 2 words
    shift_ = b_.CreateSelect(isPlain_, e.number(0), b_.CreateSub(e.number(4), mode_));
  }

  /// Word `word` of a line.
  Value *read(Value *line, Value *word) {
    if (!isTransposed_)
      return b_.CreateAlignedLoad(b_.getInt32Ty(), at(alongLine(line, b_.CreateShl(word, 2))),
                                  Align(4));
    SmallVector<Value *, 2> halves;
    for (unsigned part = 0; part < 2; ++part) {
      Value *k = b_.CreateOr(b_.CreateShl(word, 1), e_.number(part));
      halves.push_back(b_.CreateAlignedLoad(b_.getInt16Ty(), at(acrossLines(line, k)), Align(2)));
    }
    return e_.join(halves);
  }

private:
  Value *field(Value *descriptor, unsigned bit) {
    Value *units = b_.CreateAnd(b_.CreateLShr(descriptor, bit), 0x3fff);
    return b_.CreateShl(b_.CreateTrunc(units, b_.getInt32Ty()), 4);
  }

  Value *alongLine(Value *line, Value *bytes) {
    Value *plain = b_.CreateAdd(b_.CreateMul(b_.CreateLShr(bytes, 4), leading_),
                                b_.CreateAnd(bytes, e_.number(15)));
    Value *within =
        b_.CreateShl(b_.CreateAnd(line, e_.number(7)), b_.CreateAdd(shift_, e_.number(4)));
    Value *group = b_.CreateMul(b_.CreateLShr(line, 3), stride_);
    return sum({within, group, b_.CreateSelect(isPlain_, plain, bytes)});
  }

  Value *acrossLines(Value *line, Value *k) {
    Value *unit = b_.CreateLShr(line, 3);
    Value *inLine = b_.CreateShl(b_.CreateAnd(line, e_.number(7)), 1);
    Value *high = b_.CreateLShr(unit, shift_);
    Value *low = b_.CreateSub(unit, b_.CreateShl(high, shift_));
    Value *row = b_.CreateShl(b_.CreateAnd(k, e_.number(7)), b_.CreateAdd(shift_, e_.number(4)));
    Value *group = b_.CreateLShr(k, 3);
    Value *plain = b_.CreateAdd(b_.CreateMul(unit, stride_), b_.CreateMul(group, leading_));
    Value *swizzled =
        sum({b_.CreateShl(low, 4), b_.CreateMul(high, leading_), b_.CreateMul(group, stride_)});
    return sum({inLine, row, b_.CreateSelect(isPlain_, plain, swizzled)});
  }

  Value *at(Value *offset) {
    Value *address = b_.CreateAdd(start_, offset);
    Value *mask = b_.CreateSub(b_.CreateShl(e_.number(1), shift_), e_.number(1));
    Value *flips = b_.CreateShl(b_.CreateAnd(b_.CreateLShr(address, 7), mask), 4);
    return b_.CreateGEP(b_.getInt8Ty(), base_,
                        b_.CreateZExt(b_.CreateXor(address, flips), b_.getInt64Ty()));
  }

  Value *sum(ArrayRef<Value *> values) {
    Value *result = values[0];
    for (Value *value : values.drop_front())
      result = b_.CreateAdd(result, value);
    return result;
  }

  Emitter &e_;
  IRBuilder<> &b_;
  bool isTransposed_;
  Value *base_, *start_, *leading_, *stride_, *mode_, *isPlain_, *shift_;
};

/// The number of the warp in its group.
Value *warpInGroup(Emitter &e) {
  IRBuilder<> &b = e.b;
  auto special = [&](Intrinsic::ID id) { return e.intrinsic(id, {}); };
  Value *x = special(Intrinsic::nvvm_read_ptx_sreg_tid_x),
        *y = special(Intrinsic::nvvm_read_ptx_sreg_tid_y),
        *z = special(Intrinsic::nvvm_read_ptx_sreg_tid_z);
  Value *width = special(Intrinsic::nvvm_read_ptx_sreg_ntid_x),
        *height = special(Intrinsic::nvvm_read_ptx_sreg_ntid_y);
  Value *thread = b.CreateAdd(x, b.CreateMul(width, b.CreateAdd(y, b.CreateMul(height, z))));
  return b.CreateAnd(b.CreateLShr(thread, 5), e.number(3));
}

/// wgmma.mma_async
class Wgmma {
public:
  Wgmma(Emitter &e, bool isSparse) : e_(e), b_(e.b), isSparse_(isSparse) {}

  void emit() {
    if (!readModifiers())
      return;
    if (!isKnown())
      return e_.fail("this shape of these types is not supported");
    const bool isFloat = !tile_.isInteger, hasMemoryA = e_.operand(1).kind != Operand::Vector;
    const bool hasLayouts = tile_.a.elementBits == 16;
    const unsigned keeps = isSparse_ ? 5 : 3; // the operand behind the matrices and metadata
    if (e_.count() != keeps + 1 + (isFloat ? 2u : 0) + (hasLayouts ? 1u + hasMemoryA : 0))
      return e_.fail("another number of operands is expected");
    keeps_ = e_.predicate(keeps);
    tile_.isNegative = isFloat && scale(keeps + 1) * scale(keeps + 2) < 0;
    const bool transA = hasLayouts && hasMemoryA && flag(keeps + 3);
    const bool transB = hasLayouts && flag(keeps + 3 + hasMemoryA);
    if (isSparse_)
      tile_.readMetadata(e_, 3);
    lane_ = laneNumber(e_);
    group_ = b_.CreateLShr(lane_, 2);
    member_ = b_.CreateAnd(lane_, e_.number(3));
    SmallVector<Value *, 8> left = hasMemoryA ? loadLeft(transA) : readLeft();
    if (left.empty())
      return;
    multiply(left, SharedMatrix(e_, e_.bits(2, 64), transB));
  }

private:
  bool readModifiers();
  bool isKnown() const;
  SmallVector<Value *, 8> loadLeft(bool isTransposed);
  SmallVector<Value *, 8> readLeft();
  void multiply(ArrayRef<Value *> left, SharedMatrix right);

  int scale(unsigned operand) {
    const int64_t value = e_.constant(operand);
    e_.failUnless(value == 1 || value == -1, "a scale must be 1 or -1");
    return int(value);
  }
  bool flag(unsigned operand) {
    const int64_t value = e_.constant(operand);
    e_.failUnless(value == 0 || value == 1, "a layout must be 0 or 1");
    return value != 0;
  }

  Emitter &e_;
  IRBuilder<> &b_;
  TileProduct tile_;
  PtxType d_;
  bool isSparse_;
  unsigned columns_ = 0;
  Value *lane_ = nullptr, *group_ = nullptr, *member_ = nullptr, *keeps_ = nullptr;
};

bool Wgmma::readModifiers() {
  e_.take("sync");
  e_.take("aligned");
  std::optional<MatrixShape> shape = parseShape(e_.takePrefixed("m"));
  if (!shape || shape->m != 64 || shape->n % 8 || !shape->n || shape->n > 256) {
    e_.fail("expected a shape m64nNkK");
    return false;
  }
  columns_ = shape->n;
  tile_.shape = {16, 8, shape->k};
  tile_.saturates = e_.take("satfinite");
  d_ = e_.takeType();
  tile_.a = e_.takeType();
  tile_.b = e_.takeType();
  tile_.isInteger = d_ == "s32";
  tile_.bitOperation = e_.takeOneOf({"and"});
  if (!tile_.bitOperation.empty())
    e_.failUnless(e_.take("popc"), "expected .popc");
  return true;
}

/// Rows of A of 32 bytes, as far as they are there.
bool Wgmma::isKnown() const {
  const PtxType &a = tile_.a, &b = tile_.b;
  const bool isHalf = d_ == "f16", isFloat = d_ == "f32";
  if (tile_.shape.k * a.elementBits != (isSparse_ ? 512 : 256) || a.elementBits != b.elementBits)
    return false;
  if (a.elementBits == 1)
    return !isSparse_ && tile_.isInteger && !tile_.bitOperation.empty();
  if (a.isInteger())
    return tile_.isInteger && a.elementBits == 8;
  if (a.kind == TypeKind::Small)
    return b.kind == TypeKind::Small && !a.isPacked() && !b.isPacked() && (isHalf || isFloat);
  return a == b &&
         ((a == "f16" && isHalf) || (isFloat && (a == "f16" || a == "bf16" || a == "tf32")));
}

/// The registers that `mma` has of A: word 4i + t of row g, and of row g + 8.
SmallVector<Value *, 8> Wgmma::loadLeft(bool isTransposed) {
  SharedMatrix matrix(e_, e_.bits(1, 64), isTransposed);
  Value *first = b_.CreateAdd(b_.CreateShl(warpInGroup(e_), 4), group_);
  SmallVector<Value *, 8> words;
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned half = 0; half < 2; ++half)
      words.push_back(matrix.read(b_.CreateAdd(first, e_.number(8 * half)),
                                  b_.CreateAdd(member_, e_.number(4 * i))));
  return words;
}

SmallVector<Value *, 8> Wgmma::readLeft() {
  SmallVector<Value *, 8> words;
  for (const Operand &each : e_.elements(1))
    words.push_back(e_.read(each, *findType("b32")));
  if (words.size() == 4)
    return words;
  e_.fail("expected 4 registers for operand 2");
  return {};
}

void Wgmma::multiply(ArrayRef<Value *> left, SharedMatrix right) {
  SmallVector<Value *, 8> start = readSums(e_, 0, d_, columns_ / 2);
  if (start.empty())
    return;
  SmallVector<Value *, 8> sums;
  for (unsigned column = 0; column < columns_; column += 8) {
    SmallVector<Value *, 8> before, words;
    for (unsigned i = 0; i < 4; ++i) {
      Value *first = start[column / 2 + i];
      before.push_back(b_.CreateSelect(keeps_, first, Constant::getNullValue(first->getType())));
    }
    for (unsigned i = 0; i < 2 * tile_.density(); ++i)
      words.push_back(right.read(b_.CreateAdd(group_, e_.number(column)),
                                 b_.CreateAdd(member_, e_.number(4 * i))));
    append_range(sums, tile_.multiply(e_, left, words, before));
  }
  writeSums(e_, 0, d_, sums);
}

} // namespace

void lowerWgmma(Emitter &e) { Wgmma(e, /*isSparse=*/false).emit(); }
void lowerSparseWgmma(Emitter &e) { Wgmma(e, /*isSparse=*/true).emit(); }

/// wgmma.fence, .commit_group and .wait_group: the products are there.
void lowerWgmmaWait(Emitter &e) {
  e.take("sync");
  e.take("aligned");
  if (e.word(1) == "wait_group")
    e.failUnless(e.count() == 1 && e.constant(0) >= 0, "expected a number of groups");
  else
    e.failUnless(e.count() == 0, "too many operands");
}

} // namespace heddle::frontend::ptx
