// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/lane_runs.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Accesses that go from element to element within runs of lanes of any length (lane_runs.h). Each
/// vector register is loaded or stored by as many masked accesses as runs have lanes in it.
class RunAccesses {
public:
  RunAccesses(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  /// The runs of an access in the block that is being emitted; none if another form is better.
  LaneRuns runsAt(const llvm::Value *address, llvm::Type *element) const;
  llvm::Value *load(llvm::LoadInst &, const LaneRuns &);
  void store(llvm::Value *value, llvm::Align, const LaneRuns &);

private:
  /// Lanes from `first` on as many as a register holds, or those of them in one run.
  struct Piece {
    unsigned first;       ///< lane of the register
    llvm::Value *address; ///< of that lane, were it in the run
    llvm::Value *mask;    ///< the active lanes that are
  };
  std::vector<Piece> piecesOf(const LaneRuns &, llvm::Type *element, unsigned lanes);
  llvm::Value *addressOf(const LaneRuns &, unsigned lane);
  unsigned lanesPerRegister(llvm::Type *element) const;

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
};

} // namespace heddle::simt
