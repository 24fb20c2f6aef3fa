// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces gathers of rows by loads and a transposition.
//
// Lanes that each read four neighbouring words, a piece of a row of their own, take four gathers. A
// gather takes as long as a load for each lane, on many processors longer. But one load of 16 bytes
// has all four words of a lane:
//
//     gather %p;  gather %p + 4;  gather %p + 8;  gather %p + 12
//  ->
//     br all(%mask), a load of <4 x i32> for each lane and a transposition, the gathers
//
// The loads are memory operands. Where lanes walk along rows in a loop, simt/unroll-rows creates
// the neighbours. rows.h describes how rows are found and transposed.
//
// Legality (row-gathers):
//  1. The gathers are of the same lanes: the mask is one value, the vector of what differs between
//     their addresses too, and the rest differs by a constant. [neighbours]
//  2. All lanes are active, which is asked at run time. [asked]
//  3. Nothing between the gathers writes to what they read, or may not go on to the later ones.
//     [between]
//  4. Elements of 4 or 8 bytes, and so many lanes that registers come out even. [groups]
#include "jit/memory/row_gathers.h"

#include "jit/memory/rows.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

class Rewriter {
public:
  explicit Rewriter(const RowFinder &finder) : finder_(finder) {}

  /// The gathers have no more uses then.
  void take(const Row &);

private:
  SmallVector<Value *, 4> emitPiece(IRBuilder<> &, const Row &, size_t first,
                                    ArrayRef<Value *> addresses) const;
  SmallVector<Value *, 16> emitRows(Instruction &before, const Row &);
  static SmallVector<Value *, 16> emitGathers(Instruction &before, const Row &);

  const RowFinder &finder_;
  RowAddresses addresses_;
};

/// The elements of the row from its member `first` on.
SmallVector<Value *, 4> Rewriter::emitPiece(IRBuilder<> &builder, const Row &row, size_t first,
                                            ArrayRef<Value *> addresses) const {
  const auto &[distance, member] = row.members[first];
  FixedVectorType *type = row.first.type();
  unsigned length = row.pieceLength(), chunk = finder_.chunkOf(*type);
  auto *pieceType = FixedVectorType::get(type->getElementType(), length);
  Align align = alignOf(*member);
  SmallVector<SmallVector<Value *, 8>, 4> columns(length);
  for (unsigned begin = 0; begin < type->getNumElements(); begin += chunk) {
    SmallVector<Value *, 4> registers;
    for (unsigned i = 0; i < length; ++i) {
      SmallVector<Value *, 4> parts;
      for (unsigned lane = begin + i; lane < begin + chunk; lane += length)
        parts.push_back(builder.CreateAlignedLoad(
            pieceType, builder.CreatePtrAdd(addresses[lane], builder.getInt64(distance)), align));
      registers.push_back(concatenateVectors(builder, parts));
    }
    for (auto [i, column] : enumerate(transposedPieces(builder, registers)))
      columns[i].push_back(column);
  }
  SmallVector<Value *, 4> results;
  for (const auto &column : columns)
    results.push_back(concatenateVectors(builder, column));
  return results;
}

SmallVector<Value *, 16> Rewriter::emitRows(Instruction &before, const Row &row) {
  IRBuilder<> builder(&before);
  builder.SetCurrentDebugLocation(row.first.call->getDebugLoc());
  SmallVector<Value *, 64> addresses = addresses_.of(builder, row.first);
  SmallVector<Value *, 16> results;
  for (size_t piece = 0; piece < row.pieces(); ++piece) {
    SmallVector<Value *, 4> elements = emitPiece(builder, row, row.begin(piece), addresses);
    append_range(results, drop_begin(elements, results.size() - row.begin(piece)));
  }
  return results;
}

/// The same as gathers, all in the place of the first.
SmallVector<Value *, 16> Rewriter::emitGathers(Instruction &before, const Row &row) {
  IRBuilder<> builder(&before);
  SmallVector<Value *, 16> results;
  for (auto [distance, member] : row.members) {
    builder.SetCurrentDebugLocation(member->getDebugLoc());
    Value *pointers = builder.CreatePtrAdd(row.first.pointers(), builder.getInt64(distance));
    results.push_back(builder.CreateMaskedGather(member->getType(), pointers, alignOf(*member),
                                                 row.first.mask(), member->getArgOperand(2)));
  }
  return results;
}

void Rewriter::take(const Row &row) {
  Instruction *place = row.first.call;
  SmallVector<Value *, 16> results;
  if (match(row.first.mask(), m_AllOnes())) {
    results = emitRows(*place, row);
  } else {
    Instruction *then = nullptr, *otherwise = nullptr;
    splitAtWholeMask(row, *place, then, otherwise);
    SmallVector<Value *, 16> whole = emitRows(*then, row), some = emitGathers(*otherwise, row);
    for (auto [one, other] : zip(whole, some)) {
      auto *value = PHINode::Create(one->getType(), 2, "", place->getParent()->begin());
      value->addIncoming(one, then->getParent());
      value->addIncoming(other, otherwise->getParent());
      results.push_back(value);
    }
  }
  for (auto [value, member] : zip(results, row.members))
    member.second->replaceAllUsesWith(value);
}

} // namespace

PreservedAnalyses RowGathers::run(Function &function, FunctionAnalysisManager &analyses) {
  RowFinder finder(function, analyses);
  Rewriter rewriter(finder);
  for (const Row &row : finder.rows)
    rewriter.take(row);
  for (const Row &row : finder.rows)
    for (const auto &[distance, member] : row.members)
      member->eraseFromParent();
  return finder.rows.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::jit
