// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that is reused without a barrier.
//
//     x = sumOfWarp(x);
//     if (lane == 0)
//       sums[warp] = x;
//     __syncthreads();
//     x = lane < warps ? sums[lane] : 0;
//
// Programs call this twice in a row. There should be a barrier in between, because a warp may write
// its next sum before another one has read the last. On a GPU that never shows: all warps read
// right after the barrier, and a sum takes time. Here a warp runs to its next barrier alone.
//
// So if a load and a later store, without a barrier in between, certainly access the same place in
// threads of different warps, the storing warp yields first (heddle.yield): the block runner
// resumes it when all others wait for something, and so have read. Certainty follows from constants
// and thread numbers. In a program without such a race, conditions that are unknown here keep the
// two accesses apart, and it loses a little time.
//
// Not needed where one program is the block, nor for what the first warp writes and others read: it
// runs last after a barrier (block_runner.cpp).
#include "simt/thread/yield_before_reuse.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/pending.h"
#include "simt/compilation.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Pairs of accesses beyond which the program is left as it is: unrolled ones have thousands.
constexpr unsigned MostPairs = 4096;

struct Access {
  uint64_t bytes;
  std::vector<std::pair<int64_t, unsigned>> places; ///< offset and thread, in order; empty: unknown
};

const Value *writtenAddress(const Instruction &instruction) {
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerOperand();
  if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return rmw->getPointerOperand();
  return nullptr;
}

class SharedReuse {
public:
  SharedReuse(ThreadProgram &program, const Options &options)
      : thread_(*program.body), shared_(thread_.getArg(ParamShared)), facts_(thread_),
        order_(thread_, facts_.loops),
        threads_(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]),
        width_(options.width),
        subsets_(order_, {std::max<unsigned>(WarpSize, PowerOf2Ceil(threads_)), options.blockDim}) {
  }

  void run() {
    for (Instruction &instruction : instructions(thread_))
      if (auto *load = dyn_cast<LoadInst>(&instruction);
          load && isShared(load->getPointerOperand()))
        findStoresBehind(*load);
    for (Instruction *store : stores_) {
      IRBuilder<> builder(store);
      emitYield(builder);
    }
  }

private:
  bool isShared(const Value *address) const { return getUnderlyingObject(address) == shared_; }

  /// Those that are reached without a barrier and are in the load's way.
  void findStoresBehind(LoadInst &load) {
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<BasicBlock *, 16> work;
    auto go = [&](BasicBlock::iterator from, BasicBlock &block) {
      for (Instruction &instruction : make_range(from, block.end())) {
        if (isBarrier(instruction))
          return;
        const Value *address = writtenAddress(instruction);
        if (address && isShared(address) && !stores_.contains(&instruction) &&
            ++pairs_ <= MostPairs && meet(accessOf(load), accessOf(instruction)))
          stores_.insert(&instruction);
      }
      append_range(work, successors(&block));
    };
    go(std::next(load.getIterator()), *load.getParent());
    while (!work.empty())
      if (BasicBlock *block = work.pop_back_val(); seen.insert(block).second)
        go(block->begin(), *block);
  }

  const Access &accessOf(Instruction &instruction) {
    std::unique_ptr<Access> &known = accesses_[&instruction];
    if (known)
      return *known;
    known = std::make_unique<Access>();
    Access &access = *known;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    auto *address =
        const_cast<Value *>(load ? load->getPointerOperand() : writtenAddress(instruction));
    Type *type = load                          ? load->getType()
                 : isa<StoreInst>(instruction) ? instruction.getOperand(0)->getType()
                                               : instruction.getType();
    access.bytes = thread_.getDataLayout().getTypeStoreSize(type);
    BitVector who = subsets_.at(order_.index(instruction.getParent()));
    if (threads_ < who.size())
      who.reset(threads_, who.size());
    for (auto [offset, thread] : zip(subsets_.offsetsFrom(shared_, address, who), who.set_bits()))
      access.places.push_back({offset, thread});
    llvm::sort(access.places);
    return access;
  }

  /// A thread writes where one of another program reads that may come later.
  bool meet(const Access &read, const Access &written) const {
    if (read.places.empty() || written.places.empty())
      return false;
    for (auto [offset, writer] : written.places) {
      std::pair<int64_t, unsigned> least = {offset - int64_t(read.bytes) + 1, 0};
      for (auto at = lower_bound(read.places, least);
           at != read.places.end() && at->first < offset + int64_t(written.bytes); ++at)
        if (mayComeFirst(writer, at->second))
          return true;
    }
    return false;
  }

  bool mayComeFirst(unsigned writer, unsigned reader) const {
    unsigned goesLast = std::max<unsigned>(width_, WarpSize);
    bool readerIsBefore = writer < goesLast && reader >= goesLast;
    return writer / width_ != reader / width_ && !readerIsBefore;
  }

  Function &thread_;
  const Value *shared_;
  LoopFacts facts_;
  BlockOrder order_;
  unsigned threads_, width_;
  LaneSubsets subsets_; ///< of the block's threads
  DenseMap<const Instruction *, std::unique_ptr<Access>> accesses_;
  SetVector<Instruction *> stores_;
  unsigned pairs_ = 0;
};

} // namespace

PreservedAnalyses YieldBeforeReuse::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (kernel.options.width >= kernel.options.threads() ||
      none_of(instructions(*kernel.thread.body), isBarrier))
    return PreservedAnalyses::all();
  SharedReuse(kernel.thread, kernel.options).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
