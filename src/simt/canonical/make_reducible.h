// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with one entry. `goto`, jump threading and Fortran's labels make cycles that are entered at
// several blocks: no block of such a cycle dominates the others, so that LLVM sees no loop there,
// and lanes would have no block to wait at. Ways in and ways back to one of the entries go through
// a new block, which leads on by a number that says where:
//
//      a     b              a     b
//      v     v               \   /
//      x <-> y       ->     dispatch <--.      dispatch:
//                            /   \      |        %to = phi [0, %a], [1, %b], [0, %y]
//                           x --> y ----'        %first = icmp eq %to, 0
//                                                br %first, %x, %y
//
// The other entries' ways from within the cycle stay. What is left of the cycle without the new
// block may be such a cycle again, of fewer blocks.
//
// Values. Only the phis of entries get other values. A value that dominates its use still does: if
// it is of the cycle, then a new path from the new block to the use, past the value, begins at an
// entry, which was entered from outside before; if it is not, then it dominates all ways in.
//
// Rejected: LLVM's FixIrreducible, which in LLVM 22 makes endless loops of cycles within cycles
// that share entries (tests/run/random_failed.test).
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Expects branches as the only terminators with several successors.
struct MakeReduciblePass : llvm::PassInfoMixin<MakeReduciblePass> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
