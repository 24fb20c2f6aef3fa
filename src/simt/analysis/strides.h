// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much an address moves from one round of a loop to the next, for fetching ahead.
//
//     %i = phi i32 [ %first ], [ %next ]
//     %wide = sext i32 %i to i64
//     %p = gep float, ptr %a, i64 %wide        moves by 4 * sext(%step)
//     %next = add i32 %i, %step
//
// LLVM's scalar evolution knows this where no arithmetic wraps around. Here it is taken for granted
// that none does: what is fetched from a wrong address is of no use, and no harm. So nobody else
// may ask.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace heddle::simt {

class Strides {
public:
  /// `moving`: a variable of the loop that moves by one, of which scalar evolution knows nothing
  /// (an index that begins again at the end of a row). Others of that kind stay as they are then;
  /// without one they move in unknown ways.
  Strides(llvm::ScalarEvolution &evolution, const llvm::Loop &loop,
          const llvm::PHINode *moving = nullptr)
      : evolution_(evolution), loop_(loop), moving_(moving) {}

  /// Null: it is not known. Loops inside of this one stand at the same round then, and what is
  /// loaded from a place that does not move is what it is now.
  const llvm::SCEV *of(llvm::Value &value);

private:
  const llvm::SCEV *of(const llvm::SCEV *);
  const llvm::SCEV *make(const llvm::SCEV *);
  const llvm::SCEV *ofSum(const llvm::SCEV *);
  const llvm::SCEV *ofProduct(const llvm::SCEV *);
  const llvm::SCEV *ofWalk(const llvm::SCEVAddRecExpr *);
  const llvm::SCEV *none(const llvm::SCEV *);
  bool stays(const llvm::SCEV *);
  bool moves(const llvm::Value &value, unsigned depth);

  llvm::ScalarEvolution &evolution_;
  const llvm::Loop &loop_;
  const llvm::PHINode *moving_;
  llvm::DenseMap<const llvm::SCEV *, const llvm::SCEV *> strides_; ///< all that are known
  llvm::DenseMap<const llvm::Value *, bool> moves_;                ///< the same of instructions
};

} // namespace heddle::simt
