// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next tile.
//
// A kernel that goes over a matrix tile by tile reads, from one barrier to the next, a few cache
// lines of many rows, each on a page of its own: the processor's prefetchers do not follow, and all
// warps of a block are at the same place, so nobody works while a line is on its way. (A GPU has
// other blocks then. That programs load a tile ahead into registers, "double buffering", does not
// help a processor: it looks some hundred instructions ahead, not a whole round.) But the program
// says what comes next: the address moves by the same distance in each round, so each lane fetches
// the line that it will read then.
//
// The distance is by how much a round of the loop moves the address (analysis/strides.h). It is a
// scalar, whatever the address is; row_prefetches.cpp turns the mark into one prefetch for each
// line that the lanes touch together.
//
// Loops without barriers are left alone: they have the prefetchers' attention, or jit/prefetch.
//
// Of what few lanes read, only their lines are fetched. Not where one program holds the block,
// unless it walks abreast (abreast.cpp): there the processor sees the next round's loads by itself.
//
// Legality (prefetch-next-round): none: it only adds prefetches, which never fault.
#include "simt/thread/prefetch_next_round.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/strides.h"
#include "simt/compilation.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t Line = 64;      ///< bytes
constexpr int64_t LeastStep = 32; ///< bytes; below, most of the next round is here already

class Fetches {
public:
  Fetches(Function &thread, const LoopInfo &loops, ScalarEvolution &evolution)
      : thread_(thread), loops_(loops), evolution_(evolution), expander_(evolution, "step") {}

  void run() {
    SmallPtrSet<const Loop *, 4> waiting;
    for (Instruction &instruction : instructions(thread_))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && callKind(*call) == CallKind::BlockBarrier)
        waiting.insert(loops_.getLoopFor(call->getParent()));
    for (BasicBlock &block : thread_)
      if (Loop *loop = loops_.getLoopFor(&block); loop && waiting.contains(loop))
        fetch(block, Strides(evolution_, *loop));
  }

private:
  /// Members of a structure lie in one line, which is fetched once.
  void fetch(BasicBlock &block, Strides strides) {
    SmallVector<std::pair<Value *, int64_t>, 8> seen;
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || !isGivenMemory(load->getPointerOperand()))
        continue;
      APInt offset(64, 0);
      Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          thread_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
      int64_t place = offset.getSExtValue();
      if (any_of(seen, [&](const auto &other) {
            return other.first == base &&
                   AbsoluteValue(int64_t(uint64_t(other.second) - uint64_t(place))) < Line;
          }))
        continue;
      seen.push_back({base, place});
      fetch(*load, strides);
    }
  }

  void fetch(LoadInst &load, Strides &strides) {
    Value *address = load.getPointerOperand();
    const SCEV *distance = strides.of(*address);
    auto *known = dyn_cast_or_null<SCEVConstant>(distance);
    if (!distance || (known && known->getAPInt().abs().ult(LeastStep)) ||
        !expander_.isSafeToExpandAt(distance, &load))
      return;
    Value *step = expander_.expandCodeFor(distance, nullptr, &load);
    IRBuilder<> builder(&load);
    emitFetch(builder, address, step, thread_.getDataLayout().getTypeStoreSize(load.getType()));
  }

  Function &thread_;
  const LoopInfo &loops_;
  ScalarEvolution &evolution_;
  SCEVExpander expander_;
};

} // namespace

PreservedAnalyses PrefetchNextRound::run(Compilation &kernel, FunctionAnalysisManager &analyses) {
  if (kernel.options.isWholeBlock() && !kernel.thread.abreast)
    return PreservedAnalyses::all();
  Function &thread = *kernel.thread.body;
  Fetches(thread, analyses.getResult<LoopAnalysis>(thread),
          analyses.getResult<ScalarEvolutionAnalysis>(thread))
      .run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
