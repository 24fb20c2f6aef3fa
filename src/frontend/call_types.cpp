// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/call_types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

/// The same bytes as a value of another type, by way of memory, which the optimizer takes out.
Value *withType(IRBuilder<> &builder, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  AllocaInst *place = IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(type);
  place->setAlignment(Align(16));
  builder.CreateStore(value, place);
  return builder.CreateLoad(type, place);
}

/// Whether all that is given and taken has the same sizes.
bool isAlike(const FunctionType &a, const FunctionType &b, const DataLayout &layout) {
  auto sameSize = [&](Type *x, Type *y) {
    return x == y || (x->isSized() && y->isSized() &&
                      layout.getTypeAllocSize(x) == layout.getTypeAllocSize(y));
  };
  return a.getNumParams() == b.getNumParams() && a.isVarArg() == b.isVarArg() &&
         sameSize(a.getReturnType(), b.getReturnType()) &&
         all_of(zip_equal(a.params(), b.params()),
                [&](auto pair) { return sameSize(std::get<0>(pair), std::get<1>(pair)); });
}

void match(CallInst &call, Function &callee) {
  IRBuilder<> builder(&call);
  FunctionType *type = callee.getFunctionType();
  SmallVector<Value *, 8> arguments;
  for (auto [argument, wanted] : zip_equal(call.args(), type->params()))
    arguments.push_back(withType(builder, argument, wanted));
  CallInst *made = builder.CreateCall(type, &callee, arguments);
  made->setAttributes(call.getAttributes());
  made->setDebugLoc(call.getDebugLoc());
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(withType(builder, made, call.getType()));
  call.eraseFromParent();
}

} // namespace

void matchCallTypes(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallInst>(&instruction);
      auto *callee = call ? dyn_cast<Function>(call->getCalledOperand()) : nullptr;
      if (callee && (function.hasFnAttribute(PtxFunction) || callee->hasFnAttribute(PtxFunction)) &&
          callee->getFunctionType() != call->getFunctionType() &&
          isAlike(*callee->getFunctionType(), *call->getFunctionType(), module.getDataLayout()))
        match(*call, *callee);
    }
}

} // namespace heddle::frontend
