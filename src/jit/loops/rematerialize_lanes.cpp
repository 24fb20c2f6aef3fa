// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: rematerialize_lanes.h.
//
// A slot may lie badly to what the loop writes: a store and a load whose addresses agree in their
// last 12 bits look like the same place to the processor at first. Such work of the lanes does not
// count when the width is chosen (simt/form/thread_cost.cpp), so with AVX2 more blocks are one
// program. A slot lives as long as its loop, or a program that waits would have it in its frame.
//
// Legality (rematerialize-lanes):
//  1. All that reads the slot is marked: what was loaded from memory is there still (simt/widen.h:
//     accesses to shared memory, an array that the kernel was given, no write between). [mark]
//  2. The slot is filled by one store, and nobody else has its address. [slot]
//  3. The vector comes from a plain load of all lanes in the block of that store. [plain]
//  4. In between lie at most a few shifts, logic and choices, whose other operands are the same in
//     all lanes: no lane needs another one, and none can fail. [steps]
//  5. If there are such steps, the slot is read by whole elements. [elements]
#include "jit/loops/rematerialize_lanes.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned MostSteps = 3; ///< as in simt/widen_atomic.cpp

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
      return load->isSimple() && simt::StillInMemory.isOn(*load);
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

/// How a vector is made of a loaded one, lane by lane.
struct Chain {
  LoadInst *load = nullptr;
  SmallVector<Instruction *, MostSteps> steps; ///< from the last one back
};

/// The number that all lanes of an operand have, or null.
Value *numberOf(Value *operand) {
  return operand->getType()->isVectorTy() ? getSplatValue(operand) : operand;
}

/// The operand that differs from lane to lane, if it is one and the step is one of shifts, logic
/// and choices; or -1.
int varyingOperand(const Instruction &step) {
  bool isChoice = isa<SelectInst>(step);
  if (!isChoice && !step.isShift() && !step.isBitwiseLogicOp())
    return -1;
  int varying = -1;
  for (auto [i, operand] : enumerate(step.operands()))
    if (!numberOf(operand)) {
      if (varying >= 0 || (isChoice && i == 0))
        return -1;
      varying = int(i);
    }
  return varying;
}

Chain chainOf(Value *vector) {
  Chain chain;
  while (chain.steps.size() < MostSteps && !isa<LoadInst>(vector)) {
    auto *step = dyn_cast<Instruction>(vector);
    int varying = step ? varyingOperand(*step) : -1;
    if (varying < 0)
      return chain;
    chain.steps.push_back(step);
    vector = step->getOperand(unsigned(varying));
  }
  chain.load = dyn_cast<LoadInst>(vector);
  return chain;
}

/// What the steps make of one lane's value.
Value *compute(IRBuilder<> &builder, const Chain &chain, Value *value) {
  for (Instruction *step : reverse(chain.steps)) {
    int varying = varyingOperand(*step);
    Instruction *copy = step->clone();
    for (auto [i, operand] : enumerate(step->operands()))
      copy->setOperand(i, int(i) == varying ? value : numberOf(operand));
    copy->mutateType(value->getType());
    builder.Insert(copy);
    value = copy;
  }
  return value;
}

bool reload(AllocaInst &alloca) {
  Slot slot;
  if (!findUses(alloca, slot) || !slot.store)
    return false;
  Chain chain = chainOf(slot.store->getValueOperand());
  LoadInst *vector = chain.load;
  if (!vector || !vector->isSimple() || vector->getParent() != slot.store->getParent())
    return false;
  Type *type = vector->getType()->getScalarType();
  if (!chain.steps.empty() &&
      any_of(slot.elements, [&](LoadInst *element) { return element->getType() != type; }))
    return false;
  for (LoadInst *element : slot.elements) {
    IRBuilder<> builder(element);
    Value *old = element->getPointerOperand();
    uint64_t size = element->getDataLayout().getTypeStoreSize(element->getType());
    LoadInst *fresh = builder.CreateAlignedLoad(element->getType(),
                                                rebase(builder, old, vector->getPointerOperand()),
                                                commonAlignment(vector->getAlign(), size));
    fresh->copyMetadata(*element);
    element->replaceAllUsesWith(compute(builder, chain, fresh));
    element->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(old);
  }
  for (Instruction *mark : slot.lifetimes)
    mark->eraseFromParent();
  Value *stored = slot.store->getValueOperand();
  slot.store->eraseFromParent();
  alloca.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(stored);
  return true;
}

} // namespace

PreservedAnalyses RematerializeLanes::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *, 8> slots;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      slots.push_back(alloca);
  bool isChanged = false;
  for (AllocaInst *alloca : slots)
    isChanged |= reload(*alloca);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
