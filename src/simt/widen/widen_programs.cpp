// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel has one warp program, or two: one for several blocks at once and one for a single block,
// where fewer are left. Each is widened with the other one out of the module.
#include "simt/analysis/memory_space.h"
#include "simt/compilation.h"
#include "simt/form/coarsen_blocks.h"
#include "simt/form/columns.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

/// Through other pointers nobody comes to the block's shared memory: a thread's program only
/// loads and stores by its address, and calls no function that may do more.
static bool findsNoOtherWay(Function &thread) {
  SmallVector<Instruction *, 32> accesses;
  return findPlainAccesses(*thread.getArg(ParamShared), /*andAtomics=*/true, accesses) &&
         none_of(instructions(thread), [](const Instruction &instruction) {
           auto *call = dyn_cast<CallInst>(&instruction);
           return call &&
                  (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration());
         });
}

PreservedAnalyses CopyForOneBlock::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (kernel.thread.fewestNeighbours > 1)
    kernel.one = copyForOneBlock(*kernel.thread.body, kernel.hasBlocksOfOneThread());
  return PreservedAnalyses::all(); // the copy is in no module
}

/// The warp program of `other`, which is in no module, without the kernel's, which is in this one.
static Expected<WarpProgram> widenAlone(Compilation &kernel, const ThreadProgram &other,
                                        const Options &its) {
  Module &module = kernel.module;
  kernel.thread.body->removeFromParent();
  module.getFunctionList().push_back(other.body);
  Expected<WarpProgram> result = widen(module, other, its, kernel.machine);
  module.getFunctionList().push_back(kernel.thread.body);
  if (result)
    result->body->removeFromParent();
  return result;
}

/// The program of one block, a thread or a warp, of a kernel whose program is of several
/// neighbours; in no module.
static Expected<WarpProgram> widenOne(Compilation &kernel) {
  ThreadProgram one = kernel.thread;
  one.body = kernel.one.release();
  one.neighbours = 1;
  Options single = kernel.options;
  single.blockDim[0] /= kernel.thread.neighbours;
  single.width = single.threads() == 1 ? 1 : WarpSize;
  return widenAlone(kernel, one, single);
}

/// The program of several blocks above each other (columns.h), in no module; empty if there is
/// none.
static Expected<WarpProgram> widenTogether(Compilation &kernel) {
  if (kernel.thread.together == 1)
    return WarpProgram();
  ThreadProgram tall = copyForBlocksTogether(kernel.thread);
  tall.body->removeFromParent();
  Options together = kernel.options;
  together.blockDim[1] *= kernel.thread.together;
  together.width = together.blockDim[0] * together.blockDim[1];
  return widenAlone(kernel, tall, together);
}

static Error widenPrograms(Compilation &kernel) {
  kernel.sharedIsApart = findsNoOtherWay(*kernel.thread.body);
  Expected<WarpProgram> other = kernel.one ? widenOne(kernel) : widenTogether(kernel);
  if (!other)
    return other.takeError();
  kernel.second = *other;
  Expected<WarpProgram> first = widen(kernel.module, kernel.thread, kernel.options, kernel.machine);
  if (!first)
    return first.takeError();
  kernel.warp = *first;
  if (kernel.second.body)
    kernel.module.getFunctionList().push_back(kernel.second.body);
  if (kernel.options.threadwise && !kernel.warp.waits)
    kernel.warp.waits = kernel.warp.separable = true;
  return Error::success();
}

PreservedAnalyses Widen::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (Error error = widenPrograms(kernel))
    kernel.fail(std::move(error));
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
