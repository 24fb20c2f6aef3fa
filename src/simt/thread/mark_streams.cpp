// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: mark_streams.h; what becomes of the marks: simt/vector/stream_stores.cpp and
// jit/prefetch/prefetch_later_blocks.cpp.
//
// Legality (stream-stores):
//  1. The kernel does not read the array by the parameter that it writes it by. [only written]
//  2. Nobody looks before the launch ends: no fences, atomics, volatile accesses, nothing that
//     waits for other blocks. [nobody looks]
//  3. The address is computed from a parameter. [given arrays]
//  4. Whole cache lines are written: the launch tells how much, the address where a line begins,
//     and no lane is idle. [whole lines]
#include "simt/thread/mark_streams.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

#include <optional>
#include <set>

using namespace llvm;

namespace heddle::simt {

namespace {

class Marker {
public:
  explicit Marker(Function &thread)
      : thread_(thread), facts_(thread), recurrences_(thread, facts_) {}

  void run() {
    std::set<uint64_t> read;
    for (Instruction &instruction : instructions(thread_))
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        if (auto parameter = parameterOf(load->getPointerOperand())) {
          read.insert(*parameter);
          mark(*load);
        }
    if (!isPrivateUntilEnd())
      return;
    // Stores of one block to one array write different parts of it: a loop that is unrolled.
    MapVector<std::pair<BasicBlock *, uint64_t>, SmallVector<StoreInst *, 4>> stores;
    for (Instruction &instruction : instructions(thread_)) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      auto parameter = store ? parameterOf(store->getPointerOperand()) : std::nullopt;
      if (parameter && !read.count(*parameter))
        stores[{store->getParent(), *parameter}].push_back(store);
    }
    for (const auto &[place, together] : stores)
      for (StoreInst *store : together)
        mark(*store, together.size());
  }

private:
  bool isPrivateUntilEnd() {
    return none_of(instructions(thread_), [](const Instruction &instruction) {
      if (instruction.isAtomic() || instruction.isVolatile())
        return true;
      const auto *call = dyn_cast<CallInst>(&instruction);
      if (!call)
        return false;
      switch (callKind(*call)) {
      case CallKind::Drop:
      case CallKind::Widen:
      case CallKind::Scalar:
      case CallKind::Math:
      case CallKind::Native:
      case CallKind::ThreadIndex:
      case CallKind::BlockBarrier:
      case CallKind::WarpSync:
      case CallKind::Shuffle:
      case CallKind::Vote:
      case CallKind::Reduce:
        return false;
      default:
        return true;
      }
    });
  }

  /// The place among the kernel's parameters of the pointer that an address is made from.
  std::optional<uint64_t> parameterOf(Value *address) const {
    auto *pointer = dyn_cast<LoadInst>(getUnderlyingObject(address, /*MaxLookup=*/0));
    if (!pointer)
      return {};
    APInt offset(64, 0);
    Value *base = pointer->getPointerOperand()->stripAndAccumulateConstantOffsets(
        thread_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
    auto *params = dyn_cast<LoadInst>(base);
    static_assert(offsetof(Launch, params) == 0);
    if (!params || params->getPointerOperand() != thread_.getArg(ParamLaunch))
      return {};
    return offset.getZExtValue();
  }

  /// `count`: accesses like this, which go over the array together. A lone lane's own vector
  /// (own_vectors.h) is a line or so: to choose a way for each takes longer than the access.
  void mark(Instruction &access, uint64_t count = 1) {
    if (getLoadStoreType(&access)->isVectorTy())
      return;
    uint64_t size = thread_.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
    uint64_t bytes = size * count;
    for (Loop *loop = facts_.loops.getLoopFor(access.getParent()); loop;
         loop = loop->getParentLoop())
      bytes *= recurrences_.evolution.getSmallConstantTripCount(loop);
    StreamMetadata.put(access, {size, bytes});
  }

  Function &thread_;
  LoopFacts facts_;
  Recurrences recurrences_;
};

} // namespace

PreservedAnalyses MarkStreams::run(Compilation &kernel, FunctionAnalysisManager &) {
  Marker(*kernel.thread.body).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
