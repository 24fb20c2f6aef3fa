// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/block_values.h"
#include "simt/tiles/tile_loop.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::simt {

/// A place in shared memory: a number of bytes for each thread, and multiples of products of values
/// that all threads have in common.
struct TilePlace {
  ThreadTable bytes;
  std::map<ThreadSum::Product, int64_t> common;
};

/// A store to a tile, in each round of the loop over tiles, of what was loaded from global memory.
struct TileCopy {
  llvm::StoreInst *store = nullptr;
  TilePlace place;
  llvm::LoadInst *load = nullptr; ///< null: it is not known what is stored
  bool ahead = false;             ///< loaded in the round before; `load` is that of the first round
  llvm::Value *base = nullptr;    ///< the address, less constants
  int64_t offset = 0;
  llvm::Align align;
  std::optional<int64_t> step; ///< bytes from one round's address to the next one's, if constant

  /// Copies of one structure, or of one array at constant distances.
  bool isLike(const TileCopy &other) const {
    return load && other.load && base == other.base && ahead == other.ahead && step == other.step;
  }
};

/// A load from a tile, and for each thread (and round of an inner loop) who copied what it loads.
struct TileRead {
  llvm::LoadInst *load = nullptr;
  const TileCopy *copy = nullptr;
  llvm::PHINode *variable = nullptr;  ///< of the inner loop, if the place depends on it
  llvm::BasicBlock *before = nullptr; ///< the inner loop's preheader
  int64_t first = 0;                  ///< its values
  unsigned rounds = 1;
  std::vector<unsigned> copier;
};

/// What a loop over tiles stores and loads in each round.
class TileCopies {
public:
  TileCopies(llvm::Function &thread, const TileLoop &tiles, LoopFacts &facts,
             Recurrences &recurrences, BlockValues &block)
      : thread_(thread), tiles_(tiles), facts_(facts), recurrences_(recurrences), block_(block) {}

  /// False unless all threads store to all places that are loaded, before the first barrier of the
  /// same round, each to its own, and load behind it.
  bool find() { return findCopies() && findReads(); }

  std::vector<TileCopy> copies;
  std::vector<TileRead> reads;

private:
  bool findCopies();
  bool findReads();
  bool findWriters();
  bool findCopiers(TileRead &, const TilePlace &);
  bool findVariable(TileRead &, llvm::Value &);
  void findSource(TileCopy &);
  void setAddress(TileCopy &, llvm::LoadInst &);
  std::optional<int64_t> stepAhead(llvm::LoadInst &first, llvm::LoadInst &next);
  bool isFirstKnown(llvm::Value &) const;
  std::optional<int64_t> stepOf(llvm::Value &);
  std::optional<TilePlace> placeOf(llvm::Value &pointer);
  bool isReadable(const llvm::LoadInst &) const;

  llvm::Function &thread_;
  const TileLoop &tiles_;
  LoopFacts &facts_;
  Recurrences &recurrences_;
  BlockValues &block_;
  llvm::DenseMap<int64_t, std::pair<const TileCopy *, unsigned>> writers_; ///< by place
  int64_t size_ = 0;                                                       ///< of all elements
};

} // namespace heddle::simt
