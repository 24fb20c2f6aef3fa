// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/vector/exchange.h"
#include "simt/vector/lane_origins.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

namespace heddle::simt {

/// Where the lanes of vectors lie once these are cut to pieces, and how pieces of operands are put
/// together of them.
class Pieces {
public:
  explicit Pieces(llvm::IRBuilder<> &builder) : builder_(builder) {}

  /// These instructions of the program are written anew: what is not defined of them is not needed.
  void replaces(llvm::ArrayRef<llvm::Instruction *> all) {
    originals_.insert(all.begin(), all.end());
  }
  /// `piece` holds these lanes of a vector, in order.
  void define(llvm::Instruction &vector, llvm::ArrayRef<unsigned> lanes, llvm::Value *piece);
  /// What was put together is not known from here on: another block.
  void forget() { known_.clear(); }

  /// A vector of these lanes; those that are not needed may be anything.
  llvm::Value *assemble(llvm::ArrayRef<Lane> lanes, llvm::Type *element);
  /// How many shuffles that takes.
  unsigned shuffles(llvm::ArrayRef<Lane> lanes) const;
  /// One lane as a scalar; null if it is not needed.
  llvm::Value *extract(const Lane &);
  /// The piece that a lane lies in.
  llvm::Value *pieceOf(const Lane &lane) const { return spotOf(lane).piece; }

  /// Several such vectors at once, of lanes that lie in many registers each (exchange.h).
  void assembleAll(llvm::ArrayRef<std::vector<Lane>>, llvm::Type *element);
  /// The registers that such a vector would be put together of, in the order of its lanes; none if
  /// it is known, or if it holds anything but lanes of whole registers that are there by now.
  std::vector<llvm::Value *> registersOf(llvm::ArrayRef<Lane> lanes, llvm::Type *element) const;

private:
  struct Source {
    llvm::Value *vector;
    llvm::SmallVector<int, 16> picks; ///< by lane of the result
    bool inPlace() const;
  };

  Spot spotOf(const Lane &) const;
  llvm::Value *build(llvm::ArrayRef<Lane> lanes, llvm::Type *element);
  Source join(Source, Source);

  llvm::IRBuilder<> &builder_;
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<Spot, 0>> spots_;
  std::map<std::pair<std::vector<Lane>, llvm::Type *>, llvm::Value *> known_;
  llvm::DenseSet<llvm::Value *> originals_;
};

} // namespace heddle::simt
