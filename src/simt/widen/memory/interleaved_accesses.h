// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Accesses to arrays of structures (interleaved_accesses.cpp).
class InterleavedAccesses {
public:
  InterleavedAccesses(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  void beginBlock() { loaded_.clear(); }
  /// Null if the load is not of a structure's member.
  llvm::Value *emitLoad(llvm::LoadInst &);
  /// False if the store is not to a structure's member.
  bool emitStore(llvm::StoreInst &);
  /// The access's element size in bytes if it is of a structure's member, else 0.
  int64_t sizeOf(llvm::Instruction &access) const;

private:
  struct Group {
    int64_t factor = 0; ///< elements a structure
    int64_t size = 0;   ///< bytes an element
    int64_t low = 0;    ///< offset of the first member from the common root pointer
    llvm::SmallVector<std::pair<llvm::Instruction *, int64_t>, 4> members; ///< with their offsets
  };
  Group findGroup(llvm::Instruction &first) const;
  llvm::Value *spreadMask(const Group &);
  llvm::Align alignOf(const Group &) const;
  llvm::Value *baseOf(const Group &, unsigned lane);
  llvm::Value *wordsOf(llvm::Value *wide, const Group &);
  llvm::Value *loadStructs(const Group &, llvm::MDNode *stream);
  void loadMembers(const Group &, llvm::MDNode *stream);
  void storeStructs(llvm::Value *wide, const Group &, llvm::MDNode *stream);
  void storeMembers(const Group &, llvm::MDNode *stream);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  llvm::DenseMap<llvm::Instruction *, llvm::Value *>
      loaded_; ///< members of wide loads already made, this block
  llvm::DenseMap<llvm::Instruction *, Group> storeGroups_; ///< by their last store
  llvm::SmallPtrSet<llvm::Instruction *, 8> deferredStores_;
};

} // namespace heddle::simt
