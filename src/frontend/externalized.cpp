// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/externalized.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

/// The name before the suffix that clang adds (ASTContext,
/// CodeGenModule::printPostfixForExternalizedDecl).
StringRef plainName(StringRef name) {
  for (StringRef mark : {"__static__", "__intern__"})
    if (size_t at = name.rfind(mark); at != StringRef::npos)
      return name.take_front(at);
  return "";
}

void joinDefinition(Module &module, GlobalValue &definition) {
  StringRef plain = plainName(definition.getName());
  GlobalValue *declaration = plain.empty() ? nullptr : module.getNamedValue(plain);
  if (!declaration || !declaration->isDeclaration() ||
      declaration->getType() != definition.getType())
    return;
  declaration->replaceAllUsesWith(&definition);
  declaration->eraseFromParent();
}

} // namespace

void joinExternalized(Module &module) {
  SmallVector<GlobalValue *> definitions; // joining erases from the lists that hold them
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      definitions.push_back(&value);
  for (GlobalValue *definition : definitions)
    joinDefinition(module, *definition);
}

} // namespace heddle::frontend
