// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/reserved_memory.h"

#include "frontend/kernels.h"
#include "frontend/layout.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr StringRef Name = "heddle.reserved_shared";

/// The functions that a value is used in, also by way of constants.
void findUsers(const Value &value, SmallPtrSetImpl<const Function *> &functions) {
  for (const User *user : value.users())
    if (const auto *instruction = dyn_cast<Instruction>(user))
      functions.insert(instruction->getFunction());
    else
      findUsers(*user, functions);
}

/// Whether `root` may come to one of the functions. An indirect call may go anywhere.
bool reaches(Function &root, const SmallPtrSetImpl<const Function *> &functions) {
  SmallSetVector<Function *, 16> seen;
  seen.insert(&root);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (functions.contains(seen[i]))
      return true;
    for (Instruction &instruction : instructions(seen[i])) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && call->isIndirectCall())
        return true;
      if (call && call->getCalledFunction())
        seen.insert(call->getCalledFunction());
    }
  }
  return false;
}

/// The first thread clears, and all wait for it.
void clearAtStart(Function &kernel, GlobalVariable &memory) {
  IRBuilder<> b(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *place = kernel.getSubprogram())
    b.SetCurrentDebugLocation(DILocation::get(kernel.getContext(), place->getLine(), 0, place));
  auto read = [&](Intrinsic::ID id) { return b.CreateIntrinsic(id, ArrayRef<Type *>(), {}); };
  Value *thread = b.CreateOr({read(Intrinsic::nvvm_read_ptx_sreg_tid_x),
                              read(Intrinsic::nvvm_read_ptx_sreg_tid_y),
                              read(Intrinsic::nvvm_read_ptx_sreg_tid_z)});
  Value *isFirst = b.CreateICmpEQ(thread, b.getInt32(0));
  CallInst *wait = b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                                     ArrayRef<Type *>(), {b.getInt32(0)});
  b.SetInsertPoint(SplitBlockAndInsertIfThen(isFirst, wait, /*Unreachable=*/false));
  b.CreateMemSet(b.CreateAddrSpaceCast(&memory, b.getPtrTy()), b.getInt8(0), ReservedBytes,
                 Align(16));
}

} // namespace

GlobalVariable *reservedMemory(Module &module) {
  if (GlobalVariable *known = module.getGlobalVariable(Name, /*AllowInternal=*/true))
    return known;
  Type *type = ArrayType::get(Type::getInt8Ty(module.getContext()), ReservedBytes);
  auto *memory =
      new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, PoisonValue::get(type),
                         Name, nullptr, GlobalValue::NotThreadLocal, SharedSpace);
  memory->setAlignment(Align(16));
  return memory;
}

void clearReservedMemory(Module &module) {
  GlobalVariable *memory = module.getGlobalVariable(Name, /*AllowInternal=*/true);
  if (!memory)
    return;
  SmallPtrSet<const Function *, 8> functions;
  findUsers(*memory, functions);
  for (Function &function : module)
    if (isKernel(function) && reaches(function, functions))
      clearAtStart(function, *memory);
}

} // namespace heddle::frontend::ptx
