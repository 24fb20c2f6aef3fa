// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Libraries of long numbers have a function for each instruction with a carry:
//
//     __device__ unsigned add_cc(unsigned a, unsigned b) {
//       unsigned sum;
//       asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
//       return sum;
//     }
//     low = add_cc(a0, b0), high = addc(a1, b1);
//
// PTX keeps the carry flag across no call, and here it belongs to a function. Such programs count
// on their calls being inlined. Clang does that with small functions, but not for -G.
//
// Method. Bottom up in the call graph a function is inlined into its callers if they may have to do
// with its carry: the first of its statements with a carry takes it, or the last one sets it. The
// order is that of the text, which is that of the blocks. Recursive functions stay.
#include "frontend/ptx/carry_functions.h"

#include "frontend/ptx/inline_asm.h"
#include "frontend/ptx/parser.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// What a function's statements do with the carry flag.
struct CarryUse {
  bool takesFirst = false; ///< before one sets it
  bool setsLast = false;
  bool isAny = false;
};

/// May have to do with it: asm statements of other kinds are many, and long.
bool mentionsCarry(const InlineAsm &statement) {
  static constexpr StringLiteral Words[] = {".cc", "addc", "subc", "madc"};
  return any_of(Words, [&](StringRef word) { return statement.getAsmString().contains(word); });
}

const InlineAsm *asmWithCarry(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *statement = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return statement && mentionsCarry(*statement) ? statement : nullptr;
}

void addStatement(const InlineAsm &statement, CarryUse &use) {
  std::string text = ptxOf(statement, /*number=*/0);
  Expected<std::vector<Statement>> instructions = parse(text);
  if (!instructions) // an error that lowerInlineAsm reports
    return consumeError(instructions.takeError());
  for (const Statement &instruction : *instructions) {
    if (instruction.kind != Statement::Instruction)
      continue;
    bool takes = is_contained({"addc", "subc", "madc"}, instruction.parts.front());
    bool sets = is_contained(instruction.parts, "cc");
    use.takesFirst |= takes && !use.isAny;
    use.isAny |= takes || sets;
    use.setsLast = takes || sets ? sets : use.setsLast;
  }
}

CarryUse carryUseOf(const Function &function) {
  CarryUse use;
  for (const Instruction &instruction : instructions(function))
    if (const InlineAsm *statement = asmWithCarry(instruction))
      addStatement(*statement, use);
  return use;
}

void inlineCalls(Function &function) {
  SmallVector<CallBase *, 8> calls;
  for (User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function)
      calls.push_back(call);
  for (CallBase *call : calls) {
    InlineFunctionInfo info;
    (void)InlineFunction(*call, info);
  }
}

} // namespace

void inlineCarryFunctions(Module &module) {
  auto hasCarry = [](Function &function) { return any_of(instructions(function), asmWithCarry); };
  if (none_of(module, hasCarry))
    return;
  CallGraph graph(module);
  std::vector<Function *> functions; // callees before callers
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    if (Function *function = component->front()->getFunction();
        function && !component.hasCycle() && !function->isDeclaration())
      functions.push_back(function);
  for (Function *function : functions)
    if (CarryUse use = carryUseOf(*function); use.takesFirst || use.setsLast)
      inlineCalls(*function);
}

} // namespace heddle::frontend::ptx
