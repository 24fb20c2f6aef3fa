// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed rows.
//
// In a sparse matrix a thread, or a warp, walks from starts[row] to starts[row + 1], and the next
// one from there. Together they read arrays from end to end, but each loop is a few rounds and each
// begins where only a load says, so the processor's own prefetchers fall behind: a row of 16
// elements takes 0.8 ns an element from memory and 0.4 from the caches. What the rows that follow
// have is fetched before the loop:
//
//     %first = load starts[%row]                  %first = load starts[%row]
//     %last = load starts[%row + 1]               %last = load starts[%row + 1]
//                                          ->     prefetch values + %first + 2 KB, six lines
//     loop: %i = phi [%first], [%i + 1]           loop: ...
//           %v = load values[%i]
//
// That the rows lie one behind the other is told by the two loads of neighbours. Six lines are more
// than a short row, and those that another row has fetched before cost little; with one line rows
// of 100 elements gained nothing. A prefetch is harmless at any address.
//
// A loop that goes along its row on vectors (vectorize_reductions.h) fetches in each turn as much
// as the turn reads: nothing twice, and of a short row a line.
//
//     loop: %i = phi [%first], [%i + 16]          loop: prefetch values + %i + 2 KB, a line
//           %v = masked.load values[%i]    ->           %v = masked.load values[%i]
//
// Legality (prefetch-compressed-rows):
//  1. What is computed before the loop, which the program may not have computed there, or not at
//     all, cannot fail: no divisions by what may be zero. A prefetch changes nothing. [division]
#include "jit/prefetch/prefetch_compressed_rows.h"

#include "jit/prefetch/prefetch_grid_strides.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr uint64_t Ahead = 2048;     ///< bytes
constexpr uint64_t Fetched = 6 * 64; ///< bytes of each array, for each row

class Rows {
public:
  Rows(Function &function, const LoopInfo &loops, ScalarEvolution &evolution)
      : function_(function), layout_(function.getDataLayout()), loops_(loops),
        evolution_(evolution) {}

  bool run() {
    findStarts();
    if (starts_.empty())
      return false;
    for (const Loop *loop : loops_.getLoopsInPreorder())
      if (loop->getLoopPreheader())
        find(*loop);
    SCEVExpander expander(evolution_, "ahead");
    for (auto [from, before] : found_) {
      if (!expander.isSafeToExpandAt(from, before))
        continue; // a division that the program may have asked about first
      Value *address = expander.expandCodeFor(from, from->getType(), before);
      IRBuilder<> builder(before);
      prefetchLines(builder, builder.CreateConstGEP1_64(builder.getInt8Ty(), address, Ahead),
                    Fetched);
    }
    for (auto [masked, bytes] : turns_) {
      IRBuilder<> builder(masked);
      Value *address = masked->getArgOperand(0);
      prefetchLines(builder, builder.CreateConstGEP1_64(builder.getInt8Ty(), address, Ahead),
                    bytes);
    }
    return !found_.empty() || !turns_.empty();
  }

private:
  /// Integers of which the neighbour is loaded beside.
  void findStarts() {
    for (BasicBlock &block : function_) {
      SmallVector<std::pair<LoadInst *, const SCEV *>, 8> loads;
      for (Instruction &instruction : block)
        if (auto *load = dyn_cast<LoadInst>(&instruction);
            load && load->isSimple() && load->getType()->isIntegerTy() &&
            !load->hasMetadata(LLVMContext::MD_invariant_load))
          loads.push_back({load, evolution_.getSCEV(load->getPointerOperand())});
      for (auto [first, address] : loads)
        for (auto [last, next] : loads)
          if (first->getType() == last->getType() && isNext(*first, address, next))
            starts_.insert(first);
    }
  }

  bool isNext(const LoadInst &load, const SCEV *address, const SCEV *next) {
    const auto *distance = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(next, address));
    return distance && distance->getAPInt() == layout_.getTypeStoreSize(load.getType());
  }

  /// Loads that walk on from such an integer by what they load.
  void find(const Loop &loop) {
    SmallPtrSet<const SCEV *, 4> arrays;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (loops_.getLoopFor(block) != &loop)
          continue;
        auto [from, step] = walkOf(instruction, loop);
        if (!from || !isRowStart(from) || !arrays.insert(evolution_.getPointerBase(from)).second)
          continue;
        if (auto *masked = dyn_cast<IntrinsicInst>(&instruction))
          turns_.push_back({masked, step});
        else
          found_.push_back({from, loop.getLoopPreheader()->getTerminator()});
      }
  }

  /// Where a load begins that goes on by its size in each round of the loop, and that size; of a
  /// masked one, by what it and others read side by side.
  std::pair<const SCEV *, uint64_t> walkOf(Instruction &instruction, const Loop &loop) {
    Value *address = nullptr;
    if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
      address = load->getPointerOperand();
    else if (match(&instruction, m_Intrinsic<Intrinsic::masked_load>()))
      address = instruction.getOperand(0);
    const auto *walk = address ? dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(address)) : nullptr;
    if (!walk || walk->getLoop() != &loop)
      return {};
    const auto *distance = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_));
    uint64_t step = distance ? distance->getAPInt().getLimitedValue() : 0,
             size = layout_.getTypeStoreSize(instruction.getType());
    bool isNext = isa<LoadInst>(instruction) ? step == size
                                             : step >= size && step <= Fetched && step % size == 0;
    return isNext ? std::pair(walk->getStart(), step) : std::pair<const SCEV *, uint64_t>();
  }

  bool isRowStart(const SCEV *from) const {
    return SCEVExprContains(from, [&](const SCEV *part) {
      const auto *value = dyn_cast<SCEVUnknown>(part);
      return value && starts_.contains(value->getValue());
    });
  }

  Function &function_;
  const DataLayout &layout_;
  const LoopInfo &loops_;
  ScalarEvolution &evolution_;
  SmallPtrSet<const Value *, 8> starts_;
  SmallVector<std::pair<const SCEV *, Instruction *>, 8> found_; ///< before the instruction
  SmallVector<std::pair<IntrinsicInst *, uint64_t>, 8> turns_;   ///< so many bytes in each
};

} // namespace

PreservedAnalyses PrefetchCompressedRows::run(Function &function,
                                              FunctionAnalysisManager &analyses) {
  if (function.getName() != simt::RunBlocksName)
    return PreservedAnalyses::all();
  return simt::changedInBlocks(Rows(function, analyses.getResult<LoopAnalysis>(function),
                                    analyses.getResult<ScalarEvolutionAnalysis>(function))
                                   .run());
}

} // namespace heddle::jit
