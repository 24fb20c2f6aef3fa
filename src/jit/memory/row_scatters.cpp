// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters of rows: what row-gathers does, the other way round.
//
// A thread that has several neighbours, of a scan or of a tile that goes from the order of threads
// to that of memory, writes each by a scatter, which takes a store for each lane. One store of 16
// bytes takes four words of a lane:
//
//     scatter %a, %p;  scatter %b, %p + 4;  scatter %c, %p + 8;  scatter %d, %p + 12
//  ->
//     br all(%mask), a transposition and a store of <4 x i32> for each lane, the scatters
//
// rows.h says how rows are found and transposed. All is done in the place of the last scatter.
//
// Legality (row-scatters):
//  1. The scatters are of the same lanes, as in row-gathers. [neighbours]
//  2. All lanes are active, which is asked at run time. [asked]
//  3. Nothing between the scatters reads or writes what they write, or may not go on to the later
//     ones. [between]
//  4. No two lanes write the same bytes, whatever the order: their distances are as far as the row
//     is long, which is asked at run time where they are no constants. [apart]
#include "jit/memory/row_scatters.h"

#include "jit/memory/rows.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Stores the elements of the row from its member `first` on.
void emitPiece(IRBuilder<> &builder, const Row &row, size_t first, unsigned chunk,
               ArrayRef<Value *> addresses) {
  const auto &[distance, member] = row.members[first];
  unsigned length = row.pieceLength();
  for (unsigned begin = 0; begin < row.first.type()->getNumElements(); begin += chunk) {
    SmallVector<Value *, 4> columns;
    for (unsigned i = 0; i < length; ++i)
      columns.push_back(
          builder.CreateShuffleVector(row.members[first + i].second->getArgOperand(0),
                                      createSequentialMask(begin, chunk, /*NumUndefs=*/0)));
    for (auto [i, rows] : enumerate(transposedPieces(builder, columns)))
      for (unsigned lane = i; lane < chunk; lane += length)
        builder.CreateAlignedStore(
            builder.CreateShuffleVector(rows, createSequentialMask(lane - i, length, 0)),
            builder.CreatePtrAdd(addresses[begin + lane], builder.getInt64(distance)),
            alignOf(*member));
  }
}

void emitRows(Instruction &before, const Row &row, unsigned chunk, RowAddresses &addresses) {
  IRBuilder<> builder(&before);
  builder.SetCurrentDebugLocation(row.last->getDebugLoc());
  SmallVector<Value *, 64> lanes = addresses.of(builder, row.first);
  for (size_t piece = 0; piece < row.pieces(); ++piece)
    emitPiece(builder, row, row.begin(piece), chunk, lanes);
}

void take(const Row &row, unsigned chunk, RowAddresses &addresses) {
  if (match(row.first.mask(), m_AllOnes()) && !row.mayMeet()) {
    emitRows(*row.last, row, chunk, addresses);
    return;
  }
  Instruction *then = nullptr, *otherwise = nullptr;
  splitAtWholeMask(row, *row.last, then, otherwise);
  emitRows(*then, row, chunk, addresses);
  SmallVector<IntrinsicInst *, 16> members = row.inOrder;
  if (!row.mayMeet())
    append_range(members, make_second_range(row.members));
  for (const IntrinsicInst *member : members)
    member->clone()->insertBefore(otherwise->getIterator());
}

} // namespace

PreservedAnalyses RowScatters::run(Function &function, FunctionAnalysisManager &analyses) {
  RowFinder finder(function, analyses, Intrinsic::masked_scatter);
  RowAddresses addresses;
  for (const Row &row : finder.rows)
    take(row, finder.chunkOf(*row.first.type()), addresses);
  for (const Row &row : finder.rows)
    for (const auto &[distance, member] : row.members)
      member->eraseFromParent();
  return finder.rows.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::jit
