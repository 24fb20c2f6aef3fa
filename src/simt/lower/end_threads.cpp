// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/end_threads.h"

#include "base/abi/end_thread.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::simt {

static SmallVector<Instruction *> endsIn(Function &function) {
  SmallVector<Instruction *> ends;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee &&
        (callee->getName() == EndThreadName || callee->getIntrinsicID() == Intrinsic::nvvm_exit))
      ends.push_back(call);
  }
  return ends;
}

Error endThreads(Module &module, Function &kernel) {
  for (Function &function : module)
    if (&function != &kernel && !endsIn(function).empty())
      return createStringError("a thread ends in '" + function.getName() +
                               "', which calls itself or is called by its address");
  for (Instruction *end : endsIn(kernel)) {
    BasicBlock *block = end->getParent();
    changeToUnreachable(end);
    ReturnInst::Create(kernel.getContext(), nullptr, block->getTerminator()->getIterator());
    block->getTerminator()->eraseFromParent();
  }
  return Error::success();
}

} // namespace heddle::simt
