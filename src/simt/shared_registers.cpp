// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method. With the whole block in one program, and the loops over its barriers unrolled, the
// lanes that read and write shared memory are constants: a masked access with a constant mask is
// cut into plain accesses to the runs of lanes that take part. Shared memory is a local variable
// here, so SROA then sees vectors written and slices of them read, and what is left are shuffles.
// Where it cannot (an index that is only known at run time) the variable stays, and gives its
// place to the block's shared memory again: there an overrun hits a guard, and size does not
// matter.
#include "simt/shared_registers.h"

#include "base/kernel_abi.h"
#include "simt/analyses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostRuns = 4; ///< plain accesses in place of one

/// Lanes [first, first + count).
struct Run {
  unsigned first, count;
};

/// The runs of lanes that are set in a constant mask; false if it is no constant or has too many.
bool findRuns(Value *mask, SmallVectorImpl<Run> &runs) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return false;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit)
      return false;
    if (bit->isZero())
      continue;
    if (!runs.empty() && runs.back().first + runs.back().count == lane)
      ++runs.back().count;
    else
      runs.push_back({lane, 1});
  }
  return runs.size() <= MostRuns;
}

Value *addressOf(IRBuilder<> &builder, Value *base, Type *element, unsigned lane) {
  return builder.CreateConstGEP1_64(element, base, lane);
}

void splitLoad(IntrinsicInst &load, ArrayRef<Run> runs) {
  IRBuilder<> builder(&load);
  auto *type = cast<FixedVectorType>(load.getType());
  unsigned lanes = type->getNumElements();
  Type *element = type->getElementType();
  uint64_t size = load.getModule()->getDataLayout().getTypeStoreSize(element);
  Align align = load.getParamAlign(0).valueOrOne();
  Value *result = load.getArgOperand(2);
  for (Run run : runs) {
    Value *piece =
        builder.CreateAlignedLoad(FixedVectorType::get(element, run.count),
                                  addressOf(builder, load.getArgOperand(0), element, run.first),
                                  commonAlignment(align, run.first * size));
    SmallVector<int, 256> spread(lanes, PoisonMaskElem), merge;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      bool here = lane >= run.first && lane < run.first + run.count;
      if (here)
        spread[lane] = lane - run.first;
      merge.push_back(here ? lanes + lane : lane);
    }
    result = builder.CreateShuffleVector(result, builder.CreateShuffleVector(piece, spread), merge);
  }
  load.replaceAllUsesWith(result);
}

void splitStore(IntrinsicInst &store, ArrayRef<Run> runs) {
  IRBuilder<> builder(&store);
  Value *value = store.getArgOperand(0);
  Type *element = cast<FixedVectorType>(value->getType())->getElementType();
  uint64_t size = store.getModule()->getDataLayout().getTypeStoreSize(element);
  Align align = store.getParamAlign(1).valueOrOne();
  for (Run run : runs) {
    SmallVector<int, 256> picks;
    for (unsigned i = 0; i < run.count; ++i)
      picks.push_back(run.first + i);
    builder.CreateAlignedStore(builder.CreateShuffleVector(value, picks),
                               addressOf(builder, store.getArgOperand(1), element, run.first),
                               commonAlignment(align, run.first * size));
  }
}

/// The access lies in the variable, inactive lanes included: nobody else reads or writes it, so
/// these may be read, and written back.
bool isInside(IntrinsicInst &access, Value *pointer, Type *type, AllocaInst &variable) {
  const DataLayout &layout = access.getModule()->getDataLayout();
  APInt offset(64, 0);
  if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) !=
      &variable)
    return false;
  uint64_t size = variable.getAllocationSize(layout)->getFixedValue();
  return offset.ule(size) && layout.getTypeStoreSize(type) <= size - offset.getZExtValue();
}

void makePlainLoad(IntrinsicInst &load) {
  IRBuilder<> builder(&load);
  Value *all = builder.CreateAlignedLoad(load.getType(), load.getArgOperand(0),
                                         load.getParamAlign(0).valueOrOne());
  load.replaceAllUsesWith(builder.CreateSelect(load.getArgOperand(1), all, load.getArgOperand(2)));
}

void makePlainStore(IntrinsicInst &store) {
  IRBuilder<> builder(&store);
  Value *value = store.getArgOperand(0), *pointer = store.getArgOperand(1);
  Align align = store.getParamAlign(1).valueOrOne();
  Value *old = builder.CreateAlignedLoad(value->getType(), pointer, align);
  builder.CreateAlignedStore(builder.CreateSelect(store.getArgOperand(2), value, old), pointer,
                             align);
}

/// Masked accesses with constant masks, or to the variable, become plain ones.
void splitMasks(Function &function, AllocaInst &variable) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *access = dyn_cast<IntrinsicInst>(&instruction);
    if (!access)
      continue;
    bool isLoad = access->getIntrinsicID() == Intrinsic::masked_load;
    if (!isLoad && access->getIntrinsicID() != Intrinsic::masked_store)
      continue;
    SmallVector<Run, 8> runs;
    Value *pointer = access->getArgOperand(isLoad ? 0 : 1);
    Type *type = isLoad ? access->getType() : access->getArgOperand(0)->getType();
    if (findRuns(access->getArgOperand(isLoad ? 1 : 2), runs))
      isLoad ? splitLoad(*access, runs) : splitStore(*access, runs);
    else if (isInside(*access, pointer, type, variable))
      isLoad ? makePlainLoad(*access) : makePlainStore(*access);
    else
      continue;
    access->eraseFromParent();
  }
}

AllocaInst *findVariable(Function &function) {
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&instruction);
        variable && variable->hasMetadata(SharedVariable))
      return variable;
  return nullptr;
}

/// Only slices at constant places are read and written.
bool canBeRegisters(AllocaInst &variable) {
  SmallVector<Value *, 16> pending = {&variable};
  while (!pending.empty()) {
    Value *pointer = pending.pop_back_val();
    for (User *user : pointer->users()) {
      auto *gep = dyn_cast<GetElementPtrInst>(user);
      if (gep && gep->hasAllConstantIndices()) {
        pending.push_back(gep);
        continue;
      }
      auto *load = dyn_cast<LoadInst>(user);
      auto *store = dyn_cast<StoreInst>(user);
      bool plain = (load && load->isSimple()) ||
                   (store && store->isSimple() && store->getValueOperand() != pointer);
      auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      if (!plain && !(intrinsic && intrinsic->isLifetimeStartOrEnd()))
        return false;
    }
  }
  return true;
}

/// Back to the block's shared memory.
void restore(Function &function, AllocaInst &variable) {
  for (User *user : make_early_inc_range(variable.users()))
    if (auto *marker = dyn_cast<IntrinsicInst>(user); marker && marker->isLifetimeStartOrEnd())
      marker->eraseFromParent();
  IRBuilder<> builder(&variable);
  Value *field = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function.getArg(1),
                                                    offsetof(Block, shared));
  Value *shared = builder.CreateLoad(builder.getPtrTy(), field, "shared");
  variable.replaceAllUsesWith(shared);
  variable.eraseFromParent();
}

} // namespace

void keepSharedInRegisters(Module &module, TargetMachine &machine) {
  Function *function = module.getFunction("runBlocks");
  AllocaInst *variable = function ? findVariable(*function) : nullptr;
  if (!variable)
    return;
  Analyses analyses(machine);
  FunctionPassManager fold;
  fold.addPass(EarlyCSEPass());
  fold.addPass(InstCombinePass());
  fold.addPass(SimplifyCFGPass());
  fold.run(*function, analyses.functions);
  variable = findVariable(*function);
  if (!variable)
    return;
  splitMasks(*function, *variable);
  if (!canBeRegisters(*variable)) {
    restore(*function, *variable);
    return;
  }
  FunctionPassManager promote;
  promote.addPass(SROAPass(SROAOptions::PreserveCFG));
  promote.addPass(InstCombinePass());
  promote.run(*function, analyses.functions);
}

} // namespace heddle::simt
