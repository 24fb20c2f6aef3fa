// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Much of LLVM's back end works on one basic block at a time, and takes time with the
// square of the block's length: the combiner of the selection graph looks along chains of memory
// accesses, the scheduler compares each access with those before it, the register allocator divides
// what lives in one block only. Straight code of some thousand statements is one block.
//
// Method. Blocks longer than `Longest` become several that follow each other. It is done behind
// LLVM's last pass on IR, which would join them again. The machine code has no jumps for it. What
// ends at a seam is lost to the scheduler, and an operand that is loaded on the other side of one is
// no longer folded into the instruction that uses it: a few instructions in `Longest`. Shorter parts
// have slowed kernels down (docs/experiments.md); few real kernels have a block that is longer.
#include "jit/emit/split_blocks.h"

#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"

#include <memory>

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned Longest = 4'000; ///< instructions of IR

class SplitBlocks : public FunctionPass {
public:
  static char ID;
  SplitBlocks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Split long blocks"; }
  bool runOnFunction(Function &function) override { return splitLongBlocks(function); }
};

char SplitBlocks::ID = 0;

/// Where the block's first part ends; null if it is short. Behind all variables: those of another
/// block than the first would move the stack.
Instruction *seamOf(BasicBlock &block) {
  unsigned count = 0;
  Instruction *seam = nullptr;
  for (Instruction &instruction : block) {
    if (isa<PHINode>(instruction) || instruction.isTerminator())
      continue;
    if (isa<AllocaInst>(instruction))
      seam = nullptr;
    else if (++count > Longest && !seam)
      seam = &instruction;
  }
  return seam;
}

} // namespace

bool splitLongBlocks(Function &function) {
  bool changed = false;
  for (BasicBlock &block : function) // the parts, too, as they come
    if (Instruction *seam = seamOf(block)) {
      block.splitBasicBlock(seam, block.getName() + ".rest");
      changed = true;
    }
  return changed;
}

void addBlockSplits(TargetPassConfig &config) {
  if (config.getOptLevel() == CodeGenOptLevel::None)
    return; // the pass behind which they come does not run, and nobody would own them
  std::unique_ptr<Pass> last(createCodeGenPrepareLegacyPass());
  config.insertPass(last->getPassID(), new SplitBlocks());
}

} // namespace heddle::jit
