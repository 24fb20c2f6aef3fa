// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/reload_lanes.h"

#include "simt/widen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// A slot that one vector is stored to, and elements are read from.
struct Slot {
  StoreInst *store = nullptr;
  SmallVector<LoadInst *, 16> elements;
  SmallVector<Instruction *, 4> lifetimes;
};

/// False if something else is done with the slot, or a part of it.
bool findUses(Value &address, Slot &slot) {
  return all_of(address.users(), [&](User *user) {
    if (auto *element = dyn_cast<GetElementPtrInst>(user))
      return findUses(*element, slot);
    if (auto *load = dyn_cast<LoadInst>(user)) {
      slot.elements.push_back(load);
      return load->isSimple() && load->hasMetadata(simt::StillInMemory);
    }
    if (auto *mark = cast<Instruction>(user); mark->isLifetimeStartOrEnd()) {
      slot.lifetimes.push_back(mark);
      return true;
    }
    auto *store = dyn_cast<StoreInst>(user);
    if (!store || slot.store || store->getPointerOperand() != &address || !isa<AllocaInst>(address))
      return false;
    slot.store = store;
    return store->isSimple();
  });
}

/// The address in the slot, counted from `base`. Parts of it may have been made far from here.
Value *rebase(IRBuilder<> &builder, Value *address, Value *base) {
  auto *element = dyn_cast<GetElementPtrInst>(address);
  if (!element)
    return base;
  SmallVector<Value *, 2> indices(element->indices());
  return builder.CreateGEP(element->getSourceElementType(),
                           rebase(builder, element->getPointerOperand(), base), indices);
}

void reload(AllocaInst &alloca) {
  Slot slot;
  if (!findUses(alloca, slot) || !slot.store)
    return;
  auto *vector = dyn_cast<LoadInst>(slot.store->getValueOperand());
  if (!vector || !vector->isSimple() || vector->getParent() != slot.store->getParent())
    return;
  for (LoadInst *element : slot.elements) {
    IRBuilder<> builder(element);
    Value *old = element->getPointerOperand();
    uint64_t size = element->getDataLayout().getTypeStoreSize(element->getType());
    element->setOperand(LoadInst::getPointerOperandIndex(),
                        rebase(builder, old, vector->getPointerOperand()));
    element->setAlignment(commonAlignment(vector->getAlign(), size));
    RecursivelyDeleteTriviallyDeadInstructions(old);
  }
  for (Instruction *mark : slot.lifetimes)
    mark->eraseFromParent();
  slot.store->eraseFromParent();
  alloca.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(vector);
}

} // namespace

void reloadLanes(Module &module) {
  SmallVector<AllocaInst *, 8> slots;
  for (Function &function : module)
    if (!function.isDeclaration())
      for (Instruction &instruction : function.getEntryBlock())
        if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
          slots.push_back(alloca);
  for_each(slots, [](AllocaInst *alloca) { reload(*alloca); });
}

} // namespace heddle::jit
