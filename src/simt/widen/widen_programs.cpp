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

void Compilation::copyForOneBlock() {
  if (thread.neighbours > 1)
    one_ = simt::copyForOneBlock(*thread.body);
}

void Compilation::widen() {
  sharedIsApart_ = findsNoOtherWay(*thread.body);
  Expected<WarpProgram> other = one_ ? widenOne() : widenTogether();
  if (!other)
    return fail(other.takeError());
  second = *other;
  Expected<WarpProgram> first = simt::widen(module, thread, options, machine);
  if (!first)
    return fail(first.takeError());
  warp = *first;
  if (second.body)
    module.getFunctionList().push_back(second.body);
  if (options.threadwise && !warp.waits)
    warp.waits = warp.separable = true;
}

/// The program of one block, of a kernel whose program is of several neighbours; in no module.
Expected<WarpProgram> Compilation::widenOne() {
  ThreadProgram one = thread;
  one.body = one_.release();
  Options single = options;
  single.blockDim[0] = single.width = 1;
  return widenAlone(one, single);
}

/// The program of several blocks above each other (columns.h), in no module; empty if there is
/// none.
Expected<WarpProgram> Compilation::widenTogether() {
  if (thread.together == 1)
    return WarpProgram();
  ThreadProgram tall = copyForBlocksTogether(thread);
  tall.body->removeFromParent();
  Options together = options;
  together.blockDim[1] *= thread.together;
  together.width = together.blockDim[0] * together.blockDim[1];
  return widenAlone(tall, together);
}

/// The warp program of `other`, which is in no module, without `thread`, which is in this one.
Expected<WarpProgram> Compilation::widenAlone(const ThreadProgram &other, const Options &its) {
  thread.body->removeFromParent();
  module.getFunctionList().push_back(other.body);
  Expected<WarpProgram> result = simt::widen(module, other, its, machine);
  module.getFunctionList().push_back(thread.body);
  if (result)
    result->body->removeFromParent();
  return result;
}

} // namespace heddle::simt
