// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sees that a variable which begins as 1 and doubles in each round is a power of two, and makes a
// mask of the remainder by it. nvcc does not, and divides, which is most of the work of the texts' first
// reductions. The kernel runs with the mask; what counts as for a GPU (jit/count/optimize_for_gpu.cpp) must
// know that there was a remainder. Passes keep its place in the source, so those are noted:
//
//     %r = srem i32 %i, %step, !dbg !7       %r = and i32 %i, %mask, !dbg !7
//     !heddle.remainders = !{!7}
#include "plugin/mark_remainders.h"

#include "frontend/remainder_note.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

PreservedAnalyses MarkRemaindersPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto note = [&](const Instruction &instruction) {
    if (const DebugLoc &place = instruction.getDebugLoc())
      module.getOrInsertNamedMetadata(frontend::RemaindersNote)->addOperand(place.get());
  };
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      const unsigned opcode = instruction.getOpcode();
      if ((opcode != Instruction::URem && opcode != Instruction::SRem) ||
          isa<Constant>(instruction.getOperand(1)))
        continue;
      note(instruction);
      for (const User *user : instruction.users())
        if (auto *comparison = dyn_cast<ICmpInst>(user)) // the mask may have its place
          note(*comparison);
    }
  return PreservedAnalyses::all();
}

} // namespace heddle::plugin
