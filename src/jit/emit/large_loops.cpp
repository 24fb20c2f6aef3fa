// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Before LLVM asks whether a loop can be unrolled it finds out the loop's size, from what
// the target says of each instruction. Of wide shuffles that takes as long as some other passes.
// The loops over blocks and warps have the whole kernel in them, once at each level, and LLVM asks
// twice: where it unrolls loops in full, and at the end.
//
// Method. Loops with many instructions of which each has a size are not looked at: LLVM unrolls
// none that large.
//
// Nor are loops of a function that is large already. LLVM's limits are for each loop, and straight
// code that goes lane by lane in a hundred places has a hundred of them: of 11,000 instructions it
// made 100,000.
#include "jit/emit/large_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// Of size, at least. LLVM's limit for the copies of a loop is 150 at -O2, four times as much where
/// they become simpler, and 512 at most for those that stay loops.
constexpr uint64_t LargeLoop = 1000;
constexpr uint64_t RegisterBits = 512;     ///< on targets with the longest registers
constexpr uint64_t LargeFunction = 16'000; ///< instructions

constexpr StringLiteral UnrollPrefix = "llvm.loop.unroll.";

/// No target has less of it: an instruction for each register that is computed, one for an access.
uint64_t leastSize(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (isa<BinaryOperator>(instruction) || (call && call->getIntrinsicID() == Intrinsic::fma))
    return std::max<uint64_t>(
        1, instruction.getType()->getPrimitiveSizeInBits().getKnownMinValue() / RegisterBits);
  return isa<LoadInst, StoreInst>(instruction);
}

/// By a pragma: LLVM's limits are others then.
bool isToBeUnrolled(const Loop &loop) {
  const MDNode *id = loop.getLoopID();
  return id && any_of(drop_begin(id->operands()), [](const Metadata *operand) {
           auto *option = dyn_cast<MDNode>(operand);
           auto *name = option && option->getNumOperands()
                            ? dyn_cast<MDString>(option->getOperand(0))
                            : nullptr;
           return name && name->getString().starts_with(UnrollPrefix);
         });
}

bool isLarge(const Function &function) {
  uint64_t count = 0;
  return any_of(function,
                [&](const BasicBlock &block) { return (count += block.size()) > LargeFunction; });
}

bool isLarge(const Loop &loop) {
  uint64_t size = 0;
  for (const BasicBlock *block : loop.blocks()) {
    for (const Instruction &instruction : *block)
      size += leastSize(instruction);
    if (size > LargeLoop)
      return !isToBeUnrolled(loop);
  }
  return isLarge(*loop.getHeader()->getParent()) && !isToBeUnrolled(loop);
}

/// What a loop is said to be, and that it is not to be unrolled.
MDNode *withoutUnrolling(LLVMContext &context, const MDNode *id) {
  SmallVector<Metadata *, 4> options = {nullptr};
  if (id)
    append_range(options, drop_begin(id->operands()));
  options.push_back(MDNode::get(context, MDString::get(context, (UnrollPrefix + "disable").str())));
  MDNode *node = MDNode::getDistinct(context, options);
  node->replaceOperandWith(0, node);
  return node;
}

} // namespace

void leaveLargeLoops(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any unit) {
    auto *loop = any_cast<const Loop *>(&unit);
    return !loop || pass != "LoopFullUnrollPass" || !isLarge(**loop);
  });
}

PreservedAnalyses UnrollSmallLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  DenseMap<const MDNode *, MDNode *> before; ///< of marked loops
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (isLarge(*loop)) {
      MDNode *old = loop->getLoopID(), *marked = withoutUnrolling(function.getContext(), old);
      before[marked] = old;
      loop->setLoopID(marked);
    }
  // Loops of unknown length stay as they are: at width 1 their remainders cost more than unrolling
  // gives, and vectors gain nothing.
  PreservedAnalyses kept =
      LoopUnrollPass(LoopUnrollOptions(2).setRuntime(false)).run(function, analyses);
  if (before.empty())
    return kept;
  for (BasicBlock &block : function)
    if (auto found = before.find(block.getTerminator()->getMetadata(LLVMContext::MD_loop));
        found != before.end())
      block.getTerminator()->setMetadata(LLVMContext::MD_loop, found->second);
  return kept;
}

} // namespace heddle::jit
