// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch that depends on a variable which was never set is undefined, and LLVM counts on its not
// being reached: it removes all code that leads there, up to the caller's call, whose loop then
// never ends or whose function runs into the next one. Compilers that programs were written with
// read whatever the register holds, mostly without harm:
//
//     int kind;                     // or `integer :: kind`
//     if (kind == Cell) offset = 0; // no test is true, and all goes on
//
// So each scalar variable of the host begins with a value, whichever suits the optimizer:
//
//     %kind = alloca i32            %kind = alloca i32
//                                   %unset = freeze i32 poison
//                                   store i32 %unset, ptr %kind
//
// A variable in a register costs nothing by it: where it is set before it is read, the store is
// dead.
#include "plugin/settle_unset.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

namespace {

bool isScalar(const AllocaInst &variable) {
  return !variable.isArrayAllocation() && variable.getAllocatedType()->isSingleValueType() &&
         !variable.isSwiftError();
}

/// The variable holds nothing before \p begin.
void settle(AllocaInst &variable, Instruction &begin) {
  IRBuilder<> builder(begin.getNextNode());
  builder.SetCurrentDebugLocation(DebugLoc());
  Type *type = variable.getAllocatedType();
  builder.CreateAlignedStore(builder.CreateFreeze(PoisonValue::get(type)), &variable,
                             variable.getAlign());
}

/// Where it begins: at each mark of its life, or where it is made if there is none.
void settle(AllocaInst &variable) {
  SmallVector<Instruction *, 4> begins;
  for (User *user : variable.users())
    if (auto *mark = dyn_cast<LifetimeIntrinsic>(user);
        mark && mark->getIntrinsicID() == Intrinsic::lifetime_start)
      begins.push_back(mark);
  if (begins.empty())
    begins.push_back(&variable);
  for (Instruction *begin : begins)
    settle(variable, *begin);
}

} // namespace

PreservedAnalyses SettleUnsetPass::run(Module &module, ModuleAnalysisManager &) {
  if (module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasOptNone())
      continue;
    SmallVector<AllocaInst *, 16> variables;
    for (Instruction &instruction : instructions(function))
      if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && isScalar(*variable))
        variables.push_back(variable);
    for (AllocaInst *variable : variables)
      settle(*variable);
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::plugin
