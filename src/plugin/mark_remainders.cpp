// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sees that a variable which begins as 1 and doubles in each round is a power of two, and makes a
// mask of the remainder by it. nvcc does not, and divides, which is most of the work of the texts' first
// reductions. The kernel runs with the mask; what counts as for a GPU (jit/count/optimize_for_gpu.cpp)
// must know that there was a remainder. InstCombine hands annotations on:
//
//     %r = urem i32 %i, %step                %r = and i32 %i, %mask, !annotation !0
//     !0 = !{!"heddle.remainder"}
#include "plugin/mark_remainders.h"

#include "frontend/remainder_note.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

PreservedAnalyses MarkRemaindersPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      const unsigned opcode = instruction.getOpcode();
      if ((opcode == Instruction::URem || opcode == Instruction::SRem) &&
          !isa<Constant>(instruction.getOperand(1)))
        instruction.addAnnotationMetadata(frontend::RemainderNote);
    }
  return PreservedAnalyses::all();
}

} // namespace heddle::plugin
