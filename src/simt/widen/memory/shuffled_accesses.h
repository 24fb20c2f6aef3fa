// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/form/columns.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Accesses to places whose order in memory is not that of the lanes: whole vectors are loaded or
/// stored, and their elements go to their lanes in registers.
class ShuffledAccesses {
public:
  ShuffledAccesses(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  /// Neighbouring elements of memory, each touched by at most one lane.
  struct Window {
    llvm::SmallVector<unsigned, 0> elements; ///< by lane
    llvm::SmallVector<unsigned, 0> lanes;    ///< by element; the number of lanes where none is
    explicit operator bool() const { return !elements.empty(); }
  };
  /// The elements that `lanes` lanes touch, if their addresses lie close to each other at places
  /// that the shape knows.
  Window windowOf(Shape, llvm::Type *element, unsigned lanes) const;
  llvm::Value *loadWindow(llvm::LoadInst &, const Window &);
  void storeWindow(llvm::Value *value, llvm::Value *address, llvm::Align, const Window &);

  /// Columns of rows that groups of lanes walk along (columns.h): one vector for each.
  Columns columnsAt(const llvm::Value *address, llvm::Type *element) const;
  llvm::Value *loadColumns(llvm::LoadInst &, Columns);
  void storeColumns(llvm::Value *value, llvm::Value *address, llvm::Align, Columns,
                    llvm::MDNode *stream);

  /// Neighbours in falling order (`out[n - 1 - i] = in[i]`): the next lane has the element before.
  bool isReversed(Shape, llvm::Type *element) const;
  llvm::Value *loadReversed(llvm::LoadInst &);
  void storeReversed(llvm::Value *value, llvm::Value *address, llvm::Align, llvm::MDNode *stream);

private:
  llvm::Value *windowMask(const Window &, llvm::Value *mask);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
};

} // namespace heddle::simt
