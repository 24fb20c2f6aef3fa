// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/spin.h"

#include "simt/function_facts.h"
#include "simt/intrinsics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool hasFence(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (isa<FenceInst>(instruction))
        return true;
  return false;
}

/// Whether the value may differ from one time to the next because another block has written.
bool isFromOutside(const Instruction &instruction, bool fenced) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return true;
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isVolatile() || load->isAtomic() ||
           (fenced && !load->hasMetadata(LLVMContext::MD_invariant_load));
  if (const auto *call = dyn_cast<CallInst>(&instruction)) {
    CallKind kind = callKind(*call);
    return kind == CallKind::Cas128 || kind == CallKind::Device || kind == CallKind::Indirect;
  }
  return false;
}

bool maySpin(const Loop &loop) {
  bool fenced = hasFence(loop);
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  SmallVector<const Instruction *, 16> work;
  SmallPtrSet<const Instruction *, 16> seen;
  auto visit = [&](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    if (instruction && loop.contains(instruction) && seen.insert(instruction).second)
      work.push_back(instruction);
  };
  for (const BasicBlock *block : exiting)
    visit(block->getTerminator());
  while (!work.empty()) {
    const Instruction *instruction = work.pop_back_val();
    if (isFromOutside(*instruction, fenced))
      return true;
    for (const Value *operand : instruction->operands())
      visit(operand);
    // What a phi gives depends on the branches that lead to it.
    if (const auto *phi = dyn_cast<PHINode>(instruction))
      for (const BasicBlock *block : phi->blocks())
        visit(block->getTerminator());
  }
  return false;
}

template <typename Action> void onLoops(const Module &module, Action action) {
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    LoopFacts facts(const_cast<Function &>(function));
    for (const Loop *loop : facts.loops.getLoopsInPreorder())
      action(*loop);
  }
}

} // namespace

bool maySpin(const Module &module) {
  bool found = false;
  onLoops(module, [&](const Loop &loop) { found = found || maySpin(loop); });
  return found;
}

} // namespace heddle::simt
