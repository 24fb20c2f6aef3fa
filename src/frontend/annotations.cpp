// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/annotations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr const char *MetadataSection = "llvm.metadata";

/// The fifth operand of an entry: a private struct of the annotation's further arguments, or null.
std::vector<uint64_t> readArguments(const Constant &operand) {
  std::vector<uint64_t> values;
  auto *global = dyn_cast<GlobalVariable>(operand.stripPointerCasts());
  if (!global || !global->hasInitializer())
    return values;
  const Constant *initializer = global->getInitializer();
  for (unsigned i = 0; const Constant *element = initializer->getAggregateElement(i); ++i)
    if (auto *integer = dyn_cast<ConstantInt>(element))
      values.push_back(integer->getZExtValue());
  return values;
}

} // namespace

std::vector<Annotation> readAnnotations(const Module &module) {
  std::vector<Annotation> annotations;
  const GlobalVariable *list = module.getGlobalVariable("llvm.global.annotations");
  auto *entries = list ? dyn_cast<ConstantArray>(list->getInitializer()) : nullptr;
  if (!entries)
    return annotations;
  for (const Use &use : entries->operands()) {
    auto *entry = dyn_cast<ConstantStruct>(use.get());
    auto *target =
        entry ? dyn_cast<GlobalValue>(entry->getOperand(0)->stripPointerCasts()) : nullptr;
    auto *text =
        entry ? dyn_cast<GlobalVariable>(entry->getOperand(1)->stripPointerCasts()) : nullptr;
    auto *data = text ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    if (!target || !data || !data->isCString())
      continue;
    annotations.push_back({target, data->getAsCString(), readArguments(*entry->getOperand(4))});
  }
  return annotations;
}

void eraseBookkeeping(Module &module) {
  for (const char *name : {"llvm.global.annotations", "llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *list = module.getGlobalVariable(name, /*AllowInternal=*/true))
      list->eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers(); // the erased lists
    if (variable.getSection() == MetadataSection && variable.use_empty())
      variable.eraseFromParent();
  }
}

void eraseHostUses(Module &module) {
  auto isHostUses = [](const Constant *constant) {
    return constant->getName().starts_with("__clang_gpu_used_external");
  };
  removeFromUsedLists(module,
                      [&](Constant *used) { return isHostUses(used->stripPointerCasts()); });
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (isHostUses(&variable) && variable.use_empty())
      variable.eraseFromParent();
}

bool isBookkeeping(const GlobalVariable &variable) {
  return variable.getName().starts_with("llvm.") || variable.getSection() == MetadataSection;
}

} // namespace heddle::frontend
