// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers of which each lane has several neighbouring elements, a piece of a row of its own: what
// row-gathers (row_gathers.cpp) finds and makes of them.
//
// A piece of 16 bytes of a row is one access. Registers have the pieces of lanes 0, 4, 8, 12, of
// lanes 1, 5, 9, 13 and so on; then two shuffles within 16 bytes for each register go between them
// and the vectors of one element for each lane. Doubles go two by two. A row of 15 elements has
// four pieces, of which the last has an element of the one before again.
//
// The lanes' addresses are scalars. What differs between lanes is stored once, where it is
// computed, mostly before a loop; the rest is the same in all lanes.
#pragma once

#include "simt/simt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <utility>
#include <vector>

namespace heddle::jit {

constexpr unsigned RowPieceBits = 128; ///< of a lane's row that are one access

/// The addresses of lanes: base, moved by what is the same in all lanes, and scale * lanes[i].
struct LaneAddresses {
  llvm::Value *base = nullptr; ///< null where `lanes` are addresses
  llvm::SmallVector<std::pair<llvm::Value *, uint64_t>, 4> moves; ///< of 64 bits; scales, bytes
  llvm::Value *lanes = nullptr;
  uint64_t scale = 1;

  bool addMove(llvm::Value *index, uint64_t bytes);
  /// False if an index is not of 64 bits, or steps over more than elements.
  bool take(llvm::Value *pointers, const llvm::DataLayout &);
};

/// Of a gather, for each of its elements.
llvm::Align alignOf(const llvm::IntrinsicInst &);

/// A gather.
struct LaneAccess {
  llvm::IntrinsicInst *call = nullptr;
  LaneAddresses addresses;
  const llvm::SCEV *same = nullptr; ///< of the address: what all lanes have in common

  llvm::FixedVectorType *type() const;
  llvm::Value *pointers() const;
  llvm::Value *mask() const;
};

/// Accesses to neighbours in a block.
struct Row {
  LaneAccess first;                                                         ///< in the block
  llvm::IntrinsicInst *last = nullptr;                                      ///< in the block
  llvm::SmallVector<std::pair<int64_t, llvm::IntrinsicInst *>, 16> members; ///< bytes from `first`
  size_t pieceLength() const { return RowPieceBits / first.type()->getScalarSizeInBits(); }
  size_t pieces() const { return (members.size() + pieceLength() - 1) / pieceLength(); }
  /// The member that a piece begins with.
  size_t begin(size_t piece) const {
    return std::min(piece * pieceLength(), members.size() - pieceLength());
  }
};

class RowFinder {
public:
  RowFinder(llvm::Function &, llvm::FunctionAnalysisManager &);

  std::vector<Row> rows; ///< of pieces, in the order of addresses

  /// Lanes of a register.
  unsigned chunkOf(const llvm::FixedVectorType &) const;

private:
  std::optional<LaneAccess> accessOf(llvm::Instruction &) const;
  std::optional<int64_t> distance(const LaneAccess &from, const LaneAccess &to) const;
  Row *rowOf(const LaneAccess &);
  bool ends(const Row &, llvm::Instruction &) const;
  void findIn(llvm::BasicBlock &);
  void add(const LaneAccess &);
  void close(Row &);

  const llvm::DataLayout &layout_;
  llvm::ScalarEvolution &evolution_;
  llvm::AAResults &aliases_;
  simt::VectorRegisters registers_;
  std::vector<Row> open_;
};

/// Makes the scalars that are the lanes' addresses.
class RowAddresses {
public:
  llvm::SmallVector<llvm::Value *, 64> of(llvm::IRBuilder<> &, const LaneAccess &);

private:
  llvm::Value *slotOf(llvm::Value *lanes);

  llvm::DenseMap<llvm::Value *, llvm::Value *> slots_;
};

/// The columns of what registers hold in their pieces: register i has rows i, i + n, i + 2 n ...
/// Of columns it makes the rows.
llvm::SmallVector<llvm::Value *, 4> transposedPieces(llvm::IRBuilder<> &,
                                                     llvm::ArrayRef<llvm::Value *> in);

/// Before `place`, branches on whether all lanes are active: to `then`, or to `otherwise`.
void splitAtWholeMask(const Row &, llvm::Instruction &place, llvm::Instruction *&then,
                      llvm::Instruction *&otherwise);

} // namespace heddle::jit
