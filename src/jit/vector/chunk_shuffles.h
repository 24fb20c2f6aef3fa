// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace heddle::jit {

/// Shuffles of bytes and shorts that take lanes from three places and more, made of shuffles within
/// 16 bytes; see the top of chunk_shuffles.cpp.
class ChunkShuffles {
public:
  ChunkShuffles(const llvm::TargetTransformInfo &target, unsigned registerBits)
      : target_(target), registerBits_(registerBits) {}

  /// What stands for the shuffle, which is gone; null where LLVM's own way is as good.
  llvm::Value *replace(llvm::ShuffleVectorInst &);

private:
  /// 16 bytes of a vector, from this lane on.
  struct Chunk {
    llvm::Value *vector;
    unsigned first;
    auto operator<=>(const Chunk &) const = default;
  };
  using Chunks = llvm::SmallVector<Chunk, 4>;
  using Sources = llvm::SmallVector<Chunks, 16>; ///< by chunk of a result
  /// A lane of a chunk; without a vector for a lane that nothing needs.
  struct Place {
    Chunk chunk{};
    unsigned lane = 0;
  };

  bool isCheapInLanes(const llvm::ShuffleVectorInst &) const;
  std::optional<Place> placeOf(const llvm::ShuffleVectorInst &, int pick) const;
  llvm::Value *group(llvm::IRBuilder<> &, llvm::ArrayRef<Place>, llvm::ArrayRef<Chunks> sources,
                     llvm::Type *element);
  llvm::Value *together(llvm::IRBuilder<> &, const Chunks &, llvm::Type *element);

  const llvm::TargetTransformInfo &target_;
  unsigned registerBits_;
  const llvm::BasicBlock *block_ = nullptr;
  std::map<Chunks, llvm::Value *> together_; ///< in this block, so far
};

} // namespace heddle::jit
