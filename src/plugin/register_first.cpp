// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A global object's constructor may launch kernels, also one of another file. clang registers a
// file's device code like any constructor, after those of the file's objects. It must come first in
// the whole program:
//
//     @llvm.global_ctors = [{ 65535, @_GLOBAL__sub_I_a }, { 65535, @__cuda_module_ctor }]
//  -> @llvm.global_ctors = [{ 65535, @_GLOBAL__sub_I_a }, { 99, @__cuda_module_ctor }]
//
// Programs have the priorities from 101 on. What takes the registration back is registered by it
// with atexit, so it comes after the objects' destructors.
#include "plugin/register_first.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::plugin {

PreservedAnalyses RegisterFirstPass::run(Module &module, ModuleAnalysisManager &) {
  constexpr uint64_t Priority = 99; // 98: runtime/static/forward.cpp
  GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors");
  Function *registration = module.getFunction("__cuda_module_ctor");
  if (!list || !registration || !list->hasInitializer())
    return PreservedAnalyses::all();
  SmallVector<Constant *, 8> entries;
  for (Value *operand : list->getInitializer()->operands()) {
    auto *entry = cast<ConstantStruct>(operand);
    if (entry->getOperand(1) == registration)
      entry = cast<ConstantStruct>(ConstantStruct::get(
          entry->getType(), ConstantInt::get(entry->getOperand(0)->getType(), Priority),
          registration, entry->getOperand(2)));
    entries.push_back(entry);
  }
  list->setInitializer(ConstantArray::get(cast<ArrayType>(list->getValueType()), entries));
  return PreservedAnalyses::none();
}

} // namespace heddle::plugin
