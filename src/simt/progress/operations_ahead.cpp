// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting warp operations.
//
// An operation that names the whole warp waits for all its lanes but those that have ended, and a
// barrier of the block for all threads but those. So between two barriers all lanes of a warp that
// come to the second do the same number of such operations; with another number the program would
// wait for ever. That tells the usual
//
//     if (i < n)                           for (i = thread; i < n; i += threads)
//       x = sumOfWarp(in[i]);                x += __shfl_xor_sync(~0u, in[i], 1);
//     x = sumOfWarp(x);                    x = sumOfWarp(x);
//     if (lane == 0) s[warp] = x;          if (lane == 0) s[warp] = x;
//     __syncthreads();                     __syncthreads();
//
// from lanes that meet at different instructions: the lanes that the branch leaves out have five
// operations before them and then the barrier, those in it ten, so in a valid program there are
// never some of both, though we do not know n. Where the ways do not end at a barrier nothing
// follows: lanes that have ended are not waited for.
//
// By induction over the operations that a warp does, a warp program that does each of them for the
// lanes that are there is right if for each, and each block at which others may be held, this holds
// (or they end without another one, meeting_lanes.cpp).
//
// __syncwarp is not counted: a warp program may do it for some lanes first and for others later, if
// nothing is written in between, so they need not have done the same number of them.
#include "simt/progress/operations_ahead.h"

#include "simt/analysis/intrinsics.h"
#include "simt/progress/meeting_lanes.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

bool counts(const CallInst &call) {
  return hasMemberMask(call) && callKind(call) != CallKind::WarpSync;
}

bool mayNameWholeWarp(const CallInst &call) {
  return counts(call) &&
         (!isa<ConstantInt>(memberMask(call)) || match(memberMask(call), m_AllOnes()));
}

} // namespace

bool namesWholeWarp(const CallInst &call) {
  return hasMemberMask(call) && match(memberMask(call), m_AllOnes());
}

OperationsAhead::OperationsAhead(const BlockOrder &order) : order_(order) {
  for (const BasicBlock *block : order.blocks)
    for (const Instruction &instruction : *block)
      many_ += isa<CallInst>(instruction) && mayNameWholeWarp(cast<CallInst>(instruction));
  ways_.assign(order.blocks.size(), {many_, 0, false});
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.blocks.size(); i-- > 0;) {
      const BasicBlock &block = *order.blocks[i];
      Way way = through(block), &known = ways_[i];
      changed |= way.least != known.least || way.most != known.most || way.mayEnd != known.mayEnd;
      known = way;
    }
  }
}

/// As far as is known of the blocks behind: `least` only falls, the others only rise. (`least` is
/// many_, too, where there is no way on.)
OperationsAhead::Way OperationsAhead::through(const BasicBlock &block) const {
  Way behind = {many_, 0, false};
  for (const BasicBlock *next : successors(&block)) {
    const Way &way = ways_[order_.index(next)];
    behind.least = std::min(behind.least, way.least);
    behind.most = std::max(behind.most, way.most);
    behind.mayEnd |= way.mayEnd;
  }
  if (isa<ReturnInst>(block.getTerminator()))
    behind = {0, 0, true};
  unsigned least = 0, most = 0;
  for (const Instruction &instruction : block) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    if (!call)
      continue;
    if (isBarrierOfAll(*call))
      return {least, most, false};
    if (CallKind kind = callKind(*call); kind == CallKind::Device || kind == CallKind::Indirect)
      return {least, many_, true};
    least += counts(*call) && namesWholeWarp(*call);
    most += mayNameWholeWarp(*call);
  }
  return {std::min(least + behind.least, many_), std::min(most + behind.most, many_),
          behind.mayEnd};
}

bool OperationsAhead::exclude(unsigned one, unsigned other) const {
  auto isFewer = [](const Way &way, const Way &than) {
    return !way.mayEnd && way.most < than.least;
  };
  return isFewer(ways_[one], ways_[other]) || isFewer(ways_[other], ways_[one]);
}

} // namespace heddle::simt
