// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/shared_tables.h"

#include "frontend/layout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

bool namesShared(const Constant &constant) {
  if (auto *global = dyn_cast<GlobalVariable>(&constant))
    return global->getAddressSpace() == SharedSpace;
  return any_of(constant.operands(), [](const Use &use) {
    auto *operand = dyn_cast<Constant>(use.get());
    return operand && !isa<Function>(operand) && namesShared(*operand);
  });
}

bool isSharedTable(const GlobalVariable &global) {
  return global.getAddressSpace() != SharedSpace && global.isConstant() &&
         global.hasLocalLinkage() && global.hasInitializer() &&
         namesShared(*global.getInitializer());
}

/// Stores each element that is not an aggregate itself.
void storeElements(IRBuilder<> &builder, Constant &value, Value *address) {
  if (!isa<ConstantAggregate>(value)) {
    builder.CreateStore(&value, address);
    return;
  }
  for (unsigned i = 0; i != value.getNumOperands(); ++i)
    storeElements(builder, *cast<Constant>(value.getOperand(i)),
                  builder.CreateConstInBoundsGEP2_32(value.getType(), address, 0, i));
}

Value *makeLocal(Function &function, GlobalVariable &table) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *local = builder.CreateAlloca(table.getValueType(), nullptr, table.getName());
  if (table.getAlign())
    local->setAlignment(*table.getAlign());
  storeElements(builder, *table.getInitializer(), local);
  return builder.CreateAddrSpaceCast(local, table.getType());
}

void expand(GlobalVariable &table) {
  convertUsersOfConstantsToInstructions({&table});
  SmallVector<Use *> uses;
  for (Use &use : table.uses())
    if (isa<Instruction>(use.getUser()))
      uses.push_back(&use);
  DenseMap<Function *, Value *> locals;
  for (Use *use : uses) {
    Function *function = cast<Instruction>(use->getUser())->getFunction();
    Value *&local = locals[function];
    if (!local)
      local = makeLocal(*function, table);
    use->set(local);
  }
  if (table.use_empty())
    table.eraseFromParent();
}

} // namespace

void expandSharedTables(Module &module) {
  SmallVector<GlobalVariable *> tables;
  for (GlobalVariable &global : module.globals())
    if (isSharedTable(global))
      tables.push_back(&global);
  for (GlobalVariable *table : tables)
    expand(*table);
}

} // namespace heddle::frontend
