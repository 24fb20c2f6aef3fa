// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A byte of memory that is read as a `bool` should be 0 or 1, and clang counts on it: it takes the
// lowest bit and tells the optimizer that there are no others, so 2 is false. nvcc compares with 0.
// CUDA programs come to such bytes: flags that another kernel wrote as `unsigned char`, buffers
// filled by cudaMemset(p, 0xff, n), memory that was never written. This pass changes clang's reads
// before any other pass has seen them:
//
//     %v = load i8, ptr %p, !range {0, 2}         %v = load i8, ptr %p
//     %b = trunc i8 %v to i1                      %b = icmp ne i8 %v, 0
//
// What a thread keeps in registers costs nothing, for `icmp ne (zext i1 %x), 0` is %x. As a number
// such a bool is 1 here; in nvcc's code it is the byte in some places and 1 in others.
#include "plugin/test_bools.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

namespace {

/// The range that clang gives the byte of a `bool`, in optimized code.
bool saysBool(const Instruction &load) {
  MDNode *range = load.getMetadata(LLVMContext::MD_range);
  return range && load.getType()->isIntegerTy(8) &&
         getConstantRangeFromMetadata(*range) == ConstantRange(APInt(8, 0), APInt(8, 2));
}

/// \p instruction as the reading of a `bool`: clang takes a bit of a byte just loaded for nothing
/// else.
TruncInst *asRead(Instruction &instruction) {
  auto *bit = dyn_cast<TruncInst>(&instruction);
  return bit && bit->getType()->isIntegerTy(1) && isa<LoadInst>(bit->getOperand(0)) &&
                 bit->getOperand(0)->getType()->isIntegerTy(8)
             ? bit
             : nullptr;
}

void test(TruncInst &bit) {
  IRBuilder<> builder(&bit);
  Value *isSet = builder.CreateIsNotNull(bit.getOperand(0));
  isSet->takeName(&bit);
  bit.replaceAllUsesWith(isSet);
  bit.eraseFromParent();
}

} // namespace

PreservedAnalyses TestBoolsPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (isa<LoadInst>(instruction) && saysBool(instruction))
        instruction.setMetadata(LLVMContext::MD_range, nullptr);
      if (TruncInst *bit = asRead(instruction))
        test(*bit);
    }
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::plugin
