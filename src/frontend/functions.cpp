// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/functions.h"

#include "base/image/module_image.h"

#include "llvm/IR/Constants.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

bool needsNumber(const Function &function) {
  return !function.isDeclaration() &&
         function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/false,
                                  /*IgnoreAssumeLikeCalls=*/true, /*IngoreLLVMUsed=*/true);
}

} // namespace

std::vector<Function *> numberFunctions(Module &module) {
  std::vector<Function *> numbered;
  LLVMContext &context = module.getContext();
  if (NamedMDNode *old = module.getNamedMetadata(FunctionsMetadata))
    old->eraseFromParent();
  NamedMDNode *list = nullptr;
  for (Function &function : module) {
    if (!needsNumber(function))
      continue;
    if (!list)
      list = module.getOrInsertNamedMetadata(FunctionsMetadata);
    auto *number = ConstantInt::get(Type::getInt64Ty(context), numbered.size());
    list->addOperand(
        MDNode::get(context, {ValueAsMetadata::get(&function), ConstantAsMetadata::get(number)}));
    numbered.push_back(&function);
  }
  return numbered;
}

std::vector<Function *> numberedFunctions(const Module &module) {
  std::vector<Function *> numbered;
  const NamedMDNode *list = module.getNamedMetadata(FunctionsMetadata);
  if (!list)
    return numbered;
  for (const MDNode *node : list->operands()) {
    auto *value = dyn_cast_or_null<ValueAsMetadata>(node->getOperand(0).get());
    numbered.push_back(value ? dyn_cast<Function>(value->getValue()) : nullptr);
  }
  return numbered;
}

uint64_t functionAddress(uint64_t number) { return FunctionTag + 16 * number; }

} // namespace heddle::frontend
