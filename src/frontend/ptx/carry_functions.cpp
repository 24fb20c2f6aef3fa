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

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Regex.h"
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

void addStatement(StringRef text, CarryUse &use) {
  static const Regex Instruction("(addc|subc|madc|add|sub|mad)((\\.[a-z0-9]+)+)");
  SmallVector<StringRef, 4> match;
  while (Instruction.match(text, &match)) {
    bool takes = match[1].size() == 4, sets = is_contained(split(match[2], '.'), "cc");
    use.takesFirst |= takes && !use.isAny;
    use.isAny |= takes || sets;
    use.setsLast = takes || sets ? sets : use.setsLast;
    text = text.substr(match[0].end() - text.begin());
  }
}

CarryUse carryUseOf(const Function &function) {
  CarryUse use;
  for (const Instruction &instruction : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (const auto *statement = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr)
      addStatement(statement->getAsmString(), use);
  }
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
