// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks along rows, for jit/row-gathers.
//
// A thread that goes along a row of a matrix makes a gather of each round, with a cache line for
// each lane. Eight rounds together read 32 bytes of each row, and these are loaded as such: see
// jit/memory/row_gathers.cpp, which also says what is gained. What is stored along a row is stored
// so, which matters most where rows lie a power of two apart: the lines of all lanes then share a
// few places in the cache, and a line that is written in each round is fetched again in each.
//
// Only short loops of one block that all lanes leave together: else lanes that are done would wait
// in a longer round. They store along rows alone, and into other arrays than they read: else what
// was stored might be what is read next.
//
// Legality (unroll-rows): none: LLVM unrolls the loop, and each thread does the same in the same
// order.
#include "simt/thread/unroll_rows.h"

#include "simt/analysis/analyses.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/objects.h"
#include "simt/analysis/pass_notes.h"
#include "simt/canonical/loop_unroller.h"
#include "simt/compilation.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned FewestLanesInRow = 8;
constexpr uint64_t BytesOfRow = 32;                         ///< in a round
constexpr uint64_t ShortestElement = 4, LongestElement = 8; ///< bytes
constexpr unsigned LargestLoop = 64;                        ///< instructions

uint64_t bytesOf(const Instruction &access) {
  return access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
}

bool isSimple(const Instruction &access) {
  const auto *load = dyn_cast<LoadInst>(&access);
  return load ? load->isSimple() : cast<StoreInst>(access).isSimple();
}

/// Each lane's address is in a row of its own, and goes to the next element in each round.
bool goesAlongRow(const Instruction &access, const Loop &loop, ScalarEvolution &evolution,
                  const Shapes &shapes) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  Shape shape = shapes.of(pointer);
  if (!isSimple(access) || shape.uniform() || shape.regular || shape.segment > 1 ||
      (bytesOf(access) != ShortestElement && bytesOf(access) != LongestElement))
    return false;
  const APInt *step = constantStep(pointer, &loop, evolution);
  return step && step->abs() == bytesOf(access);
}

/// A loop, and what in it goes along rows.
struct Walk {
  Loop *loop;
  SmallVector<LoadInst *, 4> loads;
  SmallVector<StoreInst *, 4> stores;

  bool isNone() const { return loads.empty() && stores.empty(); }
  /// That are taken together: as many as the longest elements take.
  unsigned rounds() const {
    uint64_t rounds = BytesOfRow / ShortestElement;
    for (const LoadInst *load : loads)
      rounds = std::min(rounds, BytesOfRow / bytesOf(*load));
    for (const StoreInst *store : stores)
      rounds = std::min(rounds, BytesOfRow / bytesOf(*store));
    return rounds;
  }
};

/// None if the loop stays as it is.
Walk walkOf(Loop &loop, ScalarEvolution &evolution, const Shapes &shapes, const Objects &objects) {
  BasicBlock *block = loop.getHeader();
  const Walk none = {&loop, {}, {}};
  Walk walk = none;
  SmallVector<const Value *, 4> read;
  if (loop.getNumBlocks() != 1 || block->size() > LargestLoop || shapes.isDivergent(block) ||
      isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop)))
    return walk;
  for (Instruction &instruction : *block) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && goesAlongRow(*store, loop, evolution, shapes)) {
      walk.stores.push_back(store);
      continue;
    }
    if (instruction.mayHaveSideEffects() || (call && call->isConvergent()))
      return none;
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && goesAlongRow(*load, loop, evolution, shapes))
      walk.loads.push_back(load);
    if (instruction.mayReadFromMemory())
      read.push_back(load ? load->getPointerOperand() : nullptr);
  }
  for (const StoreInst *store : walk.stores)
    for (const Value *from : read)
      if (!from || !objects.areApart(store->getPointerOperand(), from))
        return none;
  unsigned length = evolution.getSmallConstantTripCount(&loop);
  return length > 0 && length < walk.rounds() ? none : walk;
}

} // namespace

PreservedAnalyses UnrollRows::run(Compilation &kernel, FunctionAnalysisManager &analyses) {
  Function &thread = *kernel.thread.body;
  if (kernel.options.width < FewestLanesInRow)
    return PreservedAnalyses::all();
  LoopUnroller unroller(thread, analyses);
  std::vector<Walk> walks;
  {
    LoopFacts facts(thread);
    LaneShapes lanes(thread, facts, {kernel.options.width, kernel.options.blockDim});
    Objects objects(thread, kernel.options);
    for (Loop *loop : unroller.loops().getLoopsInPreorder())
      if (Walk walk = walkOf(*loop, unroller.evolution(), lanes.shapes, objects); !walk.isNone())
        walks.push_back(std::move(walk));
  }
  for (Walk &walk : walks) {
    for (LoadInst *load : walk.loads)
      LoadOfRow.put(*load);
    if (unroller.unrollButRest(*walk.loop, walk.rounds()) == LoopUnrollResult::Unmodified)
      for (LoadInst *load : walk.loads)
        LoadOfRow.drop(*load);
  }
  if (!walks.empty())
    kernel.cleanThread(); // LLVM may have simplified a loop that it leaves
  return changed(!walks.empty());
}

} // namespace heddle::simt
