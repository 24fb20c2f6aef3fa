// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Below width 32 the parts of a warp go one after the other from one barrier or warp operation to
// the next, and so a part may read what an earlier part has already overwritten. CUDA's model
// allows that (CUDA C++ Programming Guide, "Independent Thread Scheduling"), but GPUs do not do it
// to threads that have not parted, and many programs count on them.
//
// A kernel is taken to count on its warps if it has volatile accesses, or if between two places
// where threads wait for each other it both reads and writes shared memory by different addresses.
// What lies between is found as data flow: the addresses by which shared memory was read, and
// written, since the last such place. A pointer that a loop computes anew is another address in
// each turn. Two writes do not count: whose comes last, no program asks.
#include "simt/progress/warp_order.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/compilation.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// SharedSince threads waited for each other: the addresses in shared memory.
struct SharedSince {
  SmallPtrSet<const Value *, 8> read, written;
};

class Finder {
public:
  explicit Finder(Function &thread) : thread_(thread), facts_(thread) {}

  bool find() {
    SmallVector<const BasicBlock *, 16> work;
    for (const BasicBlock &block : reverse(thread_))
      work.push_back(&block);
    while (!work.empty()) {
      const BasicBlock *block = work.pop_back_val();
      SharedSince since = atEntry_[block];
      if (goThrough(*block, since))
        return true;
      for (const BasicBlock *next : successors(block)) {
        SharedSince &there = atEntry_[next];
        bool grows = set_union(there.read, since.read);
        grows |= set_union(there.written, since.written);
        if (grows)
          work.push_back(next);
      }
    }
    return false;
  }

private:
  bool goThrough(const BasicBlock &block, SharedSince &since) {
    for (const Instruction &instruction : block) {
      if (const auto *call = dyn_cast<CallInst>(&instruction)) {
        if (waitsForThreads(*call))
          since = {};
      } else if (const Value *pointer = sharedAddress(instruction)) {
        bool writes = instruction.mayWriteToMemory();
        if (isOther(writes ? since.read : since.written, *pointer))
          return true;
        (writes ? since.written : since.read).insert(pointer);
      }
    }
    return false;
  }

  static bool waitsForThreads(const CallInst &call) {
    switch (callKind(call)) {
    case CallKind::BlockBarrier:
    case CallKind::GridBarrier:
    case CallKind::ClusterWait:
    case CallKind::Shuffle:
    case CallKind::Vote:
    case CallKind::Match:
    case CallKind::Reduce:
    case CallKind::WarpSync:
      return true;
    default:
      return false;
    }
  }

  /// Of plain loads and stores: atomic operations are right in any order of the threads.
  const Value *sharedAddress(const Instruction &instruction) const {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer)
      return nullptr;
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects);
    return is_contained(objects, thread_.getArg(ParamShared)) ? pointer : nullptr;
  }

  bool isOther(const SmallPtrSetImpl<const Value *> &before, const Value &pointer) const {
    const auto *computed = dyn_cast<Instruction>(&pointer);
    bool isSame = !computed || !facts_.loops.getLoopFor(computed->getParent());
    return any_of(before, [&](const Value *other) { return !isSame || other != &pointer; });
  }

  Function &thread_;
  LoopFacts facts_;
  DenseMap<const BasicBlock *, SharedSince> atEntry_;
};

bool isVolatileElsewhere(const Instruction &instruction) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  return pointer && instruction.isVolatile() && !isa<AllocaInst>(getUnderlyingObject(pointer));
}

} // namespace

PreservedAnalyses FindWarpOrder::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  thread.countsOnWarps = any_of(kernel.module,
                                [](Function &function) {
                                  return any_of(instructions(function), isVolatileElsewhere);
                                }) ||
                         Finder(*thread.body).find();
  return PreservedAnalyses::all();
}

} // namespace heddle::simt
