// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "simt/lower/lower_nvvm.h"

using namespace llvm;

namespace heddle::simt {

Widener::Widener(WidenContext &context, Function &thread, Function &warp, const BlockOrder &order,
                 const Shapes &shapes, const DominatorTree &dominators,
                 std::vector<unsigned> sameMasks)
    : facts_(order, shapes, dominators, std::move(sameMasks),
             {context.options.width, context.options.blockDim}),
      e_(context, thread, warp, shapes), masks_(e_), arrays_(e_), values_(e_, arrays_),
      loops_(e_, masks_, arrays_), elementwise_(e_, masks_, values_),
      flow_(e_, facts_, masks_, values_), registers_(e_, facts_),
      memory_(e_, masks_, arrays_, values_, registers_), variables_(e_, values_),
      prefetches_(e_, facts_, masks_, arrays_, values_, loops_),
      atomics_(e_, masks_, arrays_, values_, loops_) {}

/// Loads the parameters before the warp says that it runs: behind a volatile store they could not
/// leave the loop over warps. They cannot fault.
static void loadParametersBefore(StoreInst &mark, BasicBlock &block, Argument &launch) {
  auto baseOf = [](Value *pointer) {
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    return gep && gep->hasAllConstantIndices() ? gep->getPointerOperand() : pointer;
  };
  auto isEarly = [&](Instruction &instruction) {
    return all_of(instruction.operands(), [&](Value *operand) {
      auto *other = dyn_cast<Instruction>(operand);
      return !other || (other->getParent() == mark.getParent() && other->comesBefore(&mark));
    });
  };
  for (Instruction &instruction : make_early_inc_range(block)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *gep = dyn_cast<GetElementPtrInst>(&instruction);
    if (!(gep && gep->hasAllConstantIndices()) &&
        !(load && load->isSimple() && load->hasMetadata(LLVMContext::MD_invariant_load)))
      continue;
    Value *object = load ? baseOf(load->getPointerOperand()) : nullptr;
    auto *params = dyn_cast_or_null<LoadInst>(object);
    bool known =
        !load || object == &launch || (params && baseOf(params->getPointerOperand()) == &launch);
    if (known && isEarly(instruction))
      instruction.moveBefore(mark.getIterator());
  }
}

Error Widener::run() {
  flow_.begin();
  StoreInst *mark = nullptr;
  if (e_.context.program.body == &e_.thread)
    mark = builder_.CreateStore(e_.warp.getArg(ParamWarp),
                                e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, currentWarp)),
                                /*isVolatile=*/true);
  for (unsigned index : facts_.order.definitionsFirst())
    if (Error error = emitBlock(index))
      return error;
  e_.finish(flow_.first());
  if (mark)
    loadParametersBefore(*mark, flow_.first(), *e_.warp.getArg(ParamLaunch));
  return Error::success();
}

Error Widener::emitBlock(unsigned index) {
  BasicBlock &block = *facts_.order.blocks[index];
  current_ = index;
  values_.beginBlock();
  memory_.beginBlock();
  flow_.enter(index);
  if (runsSerialized(block)) {
    if (Error error = emitSerialized(block))
      return error;
  } else {
    for (Instruction &instruction : block) {
      if (instruction.isTerminator())
        break;
      builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
      variables_.emitVariables(instruction);
      if (Error error = emitInstruction(instruction))
        return error;
    }
  }
  prefetches_.emitBefore(block);
  return flow_.emitTerminator();
}

Error Widener::define(Instruction &instruction, Expected<Value *> value) {
  if (!value)
    return value.takeError();
  values_.define(instruction, *value);
  return Error::success();
}

Error Widener::emitInstruction(Instruction &instruction) {
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    flow_.emitPhi(*phi);
    return Error::success();
  }
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return define(*load, memory_.emitLoad(*load));
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return memory_.emitStore(*store);
  if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
    return define(*alloca, variables_.emitAlloca(*alloca));
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return define(instruction, atomics_.emit(instruction));
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return emitCall(*call);
  if (isa<FenceInst>(instruction)) {
    builder_.Insert(instruction.clone());
    return Error::success();
  }
  Value *value = elementwise_.emit(instruction);
  if (!value)
    return errorAt(instruction,
                   Twine("'") + instruction.getOpcodeName() + "' is not supported in device code");
  values_.define(instruction, value);
  return Error::success();
}

} // namespace heddle::simt
