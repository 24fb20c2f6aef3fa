// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register estimate.
//
// It answers occupancy questions and -Xptxas -v before there is a GPU. It is the largest number of
// 32-bit values alive at one point of the optimised device code:
//   - an i1 lives in a predicate register and counts nothing; up to 32 bits count one, 64 bits two,
//     vectors and structs the sum of their parts;
//   - a kernel's parameters lie in the constant bank and count nothing until they are used by
//     value; addresses of local variables and all constants count nothing;
//   - at a call that was not inlined the callee's own need comes on top;
//   - BaseRegisters stand for the stack pointer, address halves and what ptxas keeps at hand.
// Liveness is the textbook backward data flow over basic blocks; values that are used only where
// they are made (an address folded into its load) are not treated apart, and ptxas's own unrolling,
// vector loads and rematerialisation are not modelled. Expect it within a third of ptxas on
// ordinary kernels.
#include "frontend/registers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr unsigned BaseRegisters = 6;
constexpr unsigned LeastRegisters = 16; // the allocation unit of a warp hides less than this
constexpr unsigned MostRegisters = 255;

unsigned registersOf(Type *type, const DataLayout &layout) {
  if (!type->isSized() || type->isIntegerTy(1))
    return 0;
  uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  return static_cast<unsigned>((bits + 31) / 32);
}

/// The values of one function that take registers, numbered.
class Pressure {
public:
  Pressure(const Function &function, DenseMap<const Function *, unsigned> &known)
      : function_(function), layout_(function.getParent()->getDataLayout()), known_(known) {}

  unsigned largest() {
    numberValues();
    solve();
    unsigned most = 0;
    for (const BasicBlock &block : function_)
      most = std::max(most, largestIn(block));
    return most;
  }

private:
  struct BlockSets {
    BitVector use, define, liveIn, liveOut;
  };

  void add(const Value &value) {
    unsigned weight = registersOf(value.getType(), layout_);
    if (weight == 0)
      return;
    index_[&value] = static_cast<unsigned>(weights_.size());
    weights_.push_back(weight);
  }

  void numberValues() {
    if (function_.getCallingConv() != CallingConv::PTX_Kernel)
      for (const Argument &argument : function_.args())
        add(argument);
    for (const BasicBlock &block : function_)
      for (const Instruction &instruction : block)
        if (!isa<AllocaInst>(instruction))
          add(instruction);
    for (const BasicBlock &block : function_)
      sets_[&block] = summarize(block);
  }

  void forEachUse(const Instruction &instruction, auto &&action) const {
    for (const Value *operand : instruction.operands())
      if (auto at = index_.find(operand); at != index_.end())
        action(at->second);
  }

  BlockSets summarize(const BasicBlock &block) const {
    auto size = static_cast<unsigned>(weights_.size());
    BlockSets sets{BitVector(size), BitVector(size), BitVector(size), BitVector(size)};
    for (const Instruction &instruction : reverse(block)) {
      if (auto at = index_.find(&instruction); at != index_.end()) {
        sets.define.set(at->second);
        sets.use.reset(at->second);
      }
      if (!isa<PHINode>(instruction))
        forEachUse(instruction, [&](unsigned index) { sets.use.set(index); });
    }
    return sets;
  }

  /// One step of liveOut = union of successors' liveIn, liveIn = use | (liveOut - define). A phi's
  /// operand is alive at the end of the block it comes from.
  bool update(const BasicBlock &block) {
    BlockSets &sets = sets_[&block];
    BitVector out(static_cast<unsigned>(weights_.size()));
    for (const BasicBlock *next : successors(&block)) {
      out |= sets_[next].liveIn;
      for (const PHINode &phi : next->phis())
        if (auto at = index_.find(phi.getIncomingValueForBlock(&block)); at != index_.end())
          out.set(at->second);
    }
    BitVector in = out;
    in.reset(sets.define);
    in |= sets.use;
    bool changed = in != sets.liveIn || out != sets.liveOut;
    sets.liveIn = std::move(in);
    sets.liveOut = std::move(out);
    return changed;
  }

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : post_order(&function_))
        changed |= update(*block);
    }
  }

  unsigned weigh(const BitVector &live) const {
    unsigned sum = 0;
    for (unsigned index : live.set_bits())
      sum += weights_[index];
    return sum;
  }

  unsigned largestIn(const BasicBlock &block) {
    BitVector live = sets_[&block].liveOut;
    unsigned now = weigh(live), most = now;
    for (const Instruction &instruction : reverse(block)) {
      if (auto at = index_.find(&instruction); at != index_.end() && live.test(at->second)) {
        live.reset(at->second);
        now -= weights_[at->second];
      }
      most = std::max(most, now + calleeNeeds(instruction));
      if (isa<PHINode>(instruction))
        continue;
      forEachUse(instruction, [&](unsigned index) {
        if (!live.test(index)) {
          live.set(index);
          now += weights_[index];
        }
      });
      most = std::max(most, now);
    }
    return most;
  }

  unsigned calleeNeeds(const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration())
      return 0;
    auto [at, isNew] =
        known_.try_emplace(callee, 0); // 0 while it is being computed: recursion ends
    if (!isNew)
      return at->second;
    unsigned needs = Pressure(*callee, known_).largest();
    known_[callee] = needs;
    return needs;
  }

  const Function &function_;
  const DataLayout &layout_;
  DenseMap<const Function *, unsigned> &known_;
  DenseMap<const Value *, unsigned> index_;
  std::vector<unsigned> weights_;
  DenseMap<const BasicBlock *, BlockSets> sets_;
};

} // namespace

unsigned estimateRegisters(const Function &kernel) {
  DenseMap<const Function *, unsigned> known;
  known[&kernel] = 0;
  unsigned needs = Pressure(kernel, known).largest() + BaseRegisters;
  return std::clamp(needs, LeastRegisters, MostRegisters);
}

} // namespace heddle::frontend
