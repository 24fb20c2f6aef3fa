// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/reach.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

class Walk {
public:
  explicit Walk(ArrayRef<Function *> numbered) : numbered_(numbered) {}

  Error run(Function &root) {
    reach_.functions.insert(&root);
    for (size_t i = 0; i != reach_.functions.size(); ++i) {
      Function &function = *reach_.functions[i];
      if (Error error = function.materialize())
        return error;
      for (Instruction &instruction : instructions(function))
        visit(instruction);
    }
    return Error::success();
  }
  Reach take() { return std::move(reach_); }

private:
  void visit(Instruction &instruction) {
    if (auto *call = dyn_cast<CallBase>(&instruction))
      visitCall(*call);
    for (Value *operand : instruction.operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        visitConstant(*constant);
  }

  void visitCall(CallBase &call) {
    if (auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases())) {
      reach_.functions.insert(callee);
      return;
    }
    if (call.isInlineAsm())
      return;
    reach_.callsIndirectly = true;
    if (!calledTypes_.insert(call.getFunctionType()).second)
      return;
    for (Function *function : numbered_)
      if (function && function->getCallingConv() != CallingConv::PTX_Kernel &&
          function->getFunctionType() == call.getFunctionType())
        reach_.functions.insert(function);
  }

  void visitConstant(Constant &constant) {
    if (auto *global = dyn_cast<GlobalVariable>(&constant)) {
      reach_.globals.insert(global);
      return;
    }
    if (isa<GlobalValue>(constant) || constant.getNumOperands() == 0 ||
        !seen_.insert(&constant).second)
      return;
    for (Value *operand : constant.operands())
      if (auto *inner = dyn_cast<Constant>(operand))
        visitConstant(*inner);
  }

  ArrayRef<Function *> numbered_;
  Reach reach_;
  DenseSet<FunctionType *> calledTypes_;
  DenseSet<Constant *> seen_;
};

} // namespace

Expected<Reach> findReach(Function &root, ArrayRef<Function *> numbered) {
  Walk walk(numbered);
  if (Error error = walk.run(root))
    return error;
  return walk.take();
}

} // namespace heddle::frontend
