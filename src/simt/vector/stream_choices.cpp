// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/stream_choices.h"

#include "simt/analysis/pass_notes.h"
#include "simt/vector/two_forms.h"

using namespace llvm;

namespace heddle::simt {

StoreInst *makeStream(AnyStore store, StreamForm form, IRBuilder<> &builder) {
  auto *plain = dyn_cast<StoreInst>(store.made);
  Align align =
      plain ? plain->getAlign() : cast<CallInst>(store.made)->getParamAlign(1).valueOrOne();
  StoreInst *stream = builder.CreateAlignedStore(store.value(), store.address(), align);
  stream->setDebugLoc(store.made->getDebugLoc());
  stream->setAAMetadata(store.made->getAAMetadata());
  if (form == StreamForm::Plain)
    return stream;
  stream->setAlignment(Align(form == StreamForm::WholeLine ? StreamLine : StreamLine / 2));
  stream->setMetadata(
      LLVMContext::MD_nontemporal,
      MDNode::get(stream->getContext(), ConstantAsMetadata::get(builder.getInt32(1))));
  return stream;
}

namespace {

/// A call for LLVM's passes to leave alone.
void createMark(StringRef name, ArrayRef<Value *> arguments, IRBuilder<> &builder) {
  SmallVector<Type *, 2> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee mark = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false));
  auto *declaration = cast<Function>(mark.getCallee());
  declaration->setOnlyAccessesInaccessibleMemory();
  declaration->setDoesNotThrow();
  declaration->setWillReturn();
  builder.CreateCall(mark, arguments)->addFnAttr(Attribute::NoMerge);
}

/// Makes the two forms of what follows a choice in its block.
void makeChoice(CallInst &choice) {
  uint64_t number = cast<ConstantInt>(choice.getArgOperand(1))->getZExtValue();
  SmallVector<std::pair<Instruction *, StreamForm>, 16> stores;
  for (Instruction &instruction : make_range(choice.getIterator(), choice.getParent()->end())) {
    std::optional<unsigned> form = ChosenForm.form(instruction, number);
    if (form && AnyStore::from(instruction).made)
      stores.push_back({&instruction, StreamForm(*form)});
  }
  if (stores.empty() || !mayMakeTwoForms(*choice.getNextNode(), *stores.back().first))
    return;
  ValueToValueMapTy copies;
  makeTwoForms(*choice.getNextNode(), *stores.back().first, choice.getArgOperand(0), copies);
  for (auto [store, form] : stores) {
    auto *copy = cast<Instruction>(copies.lookup(store));
    IRBuilder<> builder(copy);
    makeStream(AnyStore::from(*copy), form, builder);
    copy->eraseFromParent();
  }
}

} // namespace

void markChoice(Instruction &first, Value &condition, unsigned number,
                ArrayRef<std::pair<AnyStore, StreamForm>> stores) {
  IRBuilder<> builder(&first);
  createMark(ChooseName, {&condition, builder.getInt32(number)}, builder);
  builder.SetInsertPoint(stores.back().first.made->getNextNode());
  createMark(EndName, {}, builder);
  for (auto [store, form] : stores)
    ChosenForm.put(*store.made, number, unsigned(form));
}

PreservedAnalyses MakeChoices::run(Module &module, ModuleAnalysisManager &) {
  bool isChanged = false;
  for (StringRef name : {EndName, ChooseName})
    if (Function *mark = module.getFunction(name)) {
      for (User *user : make_early_inc_range(mark->users())) {
        if (name == ChooseName)
          makeChoice(*cast<CallInst>(user));
        cast<CallInst>(user)->eraseFromParent();
      }
      mark->eraseFromParent();
      isChanged = true;
    }
  return changed(isChanged);
}

} // namespace heddle::simt
