// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that waits is inlined into a coroutine in LLVM's switched-resume form. Its frame is
// taken from the block's bump allocator, so a block's frames lie side by side; they go away with
// the block.
#include "base/abi/kernel_abi.h"
#include "simt/analysis/analyses.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/entry/coalesce_frame_slots.h"
#include "simt/entry/entry_builder.h"
#include "simt/entry/frame_alias_scopes.h"
#include "simt/entry/rotate_slots.h"
#include "simt/vector/stream_stores.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

using namespace llvm;

namespace heddle::simt {

Value *Entry::stateOf(Value *block, Value *warp) {
  Type *i64 = builder_.getInt64Ty();
  Value *states = load(builder_.getPtrTy(), block, offsetof(Block, warps));
  return builder_.CreateGEP(
      builder_.getInt8Ty(), states,
      builder_.CreateMul(builder_.CreateZExt(warp, i64), builder_.getInt64(sizeof(WarpState))));
}

/// What start runs.
void Entry::callOneWarp(Value *block, Value *warp) {
  Type *pointer = builder_.getPtrTy();
  Value *mask = lanes(options_.width);
  if (unsigned tail = threads_ % options_.width) {
    Value *isLast = builder_.CreateICmpEQ(warp, builder_.getInt32(warps() - 1));
    mask = builder_.CreateSelect(isLast, lanes(tail), mask);
  }
  if (warps() == 1)
    warp = builder_.getInt32(0); // so the threads' indices are known
  SmallVector<Value *, 8> arguments = {load(pointer, block, offsetof(Block, launch)), block,
                                       sharedMemory(block), warp};
  for (unsigned d = 0; d < 3; ++d)
    arguments.push_back(load(builder_.getInt32Ty(), block, offsetof(Block, blockIdx) + 4 * d));
  arguments.push_back(mask);
  callWarp(arguments);
}

void Entry::endWarp(Value *state) {
  builder_.CreateStore(builder_.getInt32(0), field(state, offsetof(WarpState, wait)));
  WarpEnd.put(*builder_.CreateStore(Constant::getNullValue(builder_.getPtrTy()),
                                    field(state, offsetof(WarpState, frame))));
}

/// void start(block, warp) of a program that is suspended with its stack.
Constant *Entry::buildFiber() {
  Function *function =
      create(StartName, FunctionType::get(builder_.getVoidTy(),
                                          {builder_.getPtrTy(), builder_.getInt32Ty()}, false));
  Value *block = function->getArg(0), *warp = function->getArg(1);
  callOneWarp(block, warp);
  endWarp(stateOf(block, warp));
  builder_.CreateRetVoid();
  inlineWarps();
  return function;
}

/// void start(block, warp): the coroutine's ramp.
Constant *Entry::buildStart() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function =
      create(StartName, FunctionType::get(builder_.getVoidTy(), {pointer, i32}, false));
  function->setPresplitCoroutine();
  Value *block = function->getArg(0), *warp = function->getArg(1);
  Constant *null = Constant::getNullValue(pointer);
  Value *id =
      builder_.CreateIntrinsic(Intrinsic::coro_id, {}, {builder_.getInt32(64), null, null, null});
  Value *size = builder_.CreateIntrinsic(Intrinsic::coro_size, {i64}, {});
  Value *align = builder_.CreateIntrinsic(Intrinsic::coro_align, {i64}, {});
  emitFrameSize(builder_, size, align);
  // The frame's alignment is that of the widest vector in it, and code in it counts on that.
  Value *top = load(pointer, block, offsetof(Block, frameTop));
  Value *up = builder_.CreateGEP(builder_.getInt8Ty(), top,
                                 builder_.CreateSub(align, builder_.getInt64(1)));
  Value *frame =
      builder_.CreateIntrinsic(Intrinsic::ptrmask, {pointer, i64}, {up, builder_.CreateNeg(align)});
  builder_.CreateStore(builder_.CreateGEP(builder_.getInt8Ty(), frame, size),
                       field(block, offsetof(Block, frameTop)));
  Value *handle = builder_.CreateIntrinsic(Intrinsic::coro_begin, {}, {id, frame});
  Value *state = stateOf(block, warp);
  builder_.CreateStore(handle, field(state, offsetof(WarpState, frame)));
  callOneWarp(block, warp);
  endWarp(state);
  BasicBlock *suspended = BasicBlock::Create(context_, "suspended", function);
  builder_.CreateBr(suspended);
  builder_.SetInsertPoint(suspended);
  builder_.CreateIntrinsic(Intrinsic::coro_end, {},
                           {handle, builder_.getFalse(), ConstantTokenNone::get(context_)});
  builder_.CreateRetVoid();
  inlineWarps();

  SmallVector<CallInst *, 8> waits;
  for (Instruction &instruction : instructions(*function))
    if (isSuspend(instruction))
      waits.push_back(cast<CallInst>(&instruction));
  BasicBlock *destroyed = BasicBlock::Create(context_, "destroyed", function);
  new UnreachableInst(context_, destroyed);
  for (CallInst *wait : waits) {
    BasicBlock *before = wait->getParent();
    BasicBlock *after = before->splitBasicBlock(wait, "resumed");
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    builder_.SetCurrentDebugLocation(wait->getDebugLoc());
    Value *how = builder_.CreateIntrinsic(Intrinsic::coro_suspend, {},
                                          {ConstantTokenNone::get(context_), builder_.getFalse()});
    SwitchInst *branch = builder_.CreateSwitch(how, suspended, 2);
    branch->addCase(builder_.getInt8(0), after);
    branch->addCase(builder_.getInt8(1), destroyed);
    wait->eraseFromParent();
  }
  if (Function *marker = module_.getFunction(SuspendName); marker && marker->use_empty())
    marker->eraseFromParent();
  return function;
}

/// void resume(block, warp)
Constant *Entry::buildResume() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Function *function =
      create(ResumeName, FunctionType::get(builder_.getVoidTy(), {pointer, i32}, false));
  Value *state = stateOf(function->getArg(0), function->getArg(1));
  Value *handle = load(pointer, state, offsetof(WarpState, frame));
  builder_.CreateIntrinsic(Intrinsic::coro_resume, {}, {handle});
  builder_.CreateRetVoid();
  return function;
}

PreservedAnalyses SplitCoroutine::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (!kernel.splits())
    return PreservedAnalyses::all();
  auto [module, options] = std::tie(kernel.module, kernel.options);
  streamStores(module, options.isEnabled("hoist-store-choices") && options.isOptimised()
                           ? std::optional(options.registers)
                           : std::nullopt);
  Analyses analyses(kernel.machine);
  Function *start = module.getFunction(StartName);
  bool hasLocals = any_of(instructions(*start), [](Instruction &i) { return isa<AllocaInst>(i); });
  if (options.isEnabled("rotate-slots"))
    rotateSlots(*start, options.registers);
  if (options.isEnabled("coalesce-frame-slots"))
    coalesceFrameSlots(*start);
  if (options.isEnabled("frame-alias-scopes") && rotatedBits(*start) > 0)
    addFrameAliasScopes(*start, kernel.sharedIsApart);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(/*OptimizeFrame=*/true)));
  passes.addPass(CoroCleanupPass());
  passes.run(module, analyses.modules);
  // Nobody else reads or writes the frame of a running warp. Said only where no per-thread array
  // lies in it, whose address the program may have put anywhere.
  if (Function *resumed = module.getFunction(ResumedPartName); resumed && !hasLocals)
    resumed->addParamAttr(0, Attribute::NoAlias);

  Function *marker = module.getFunction(FrameSizeName);
  if (!marker)
    return PreservedAnalyses::none();
  uint64_t bytes = 0;
  for (User *user : make_early_inc_range(marker->users())) {
    auto *call = cast<CallInst>(user);
    uint64_t size = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    uint64_t align = cast<ConstantInt>(call->getArgOperand(1))->getZExtValue();
    bytes = std::max(bytes, alignTo(size + align, 64));
    call->eraseFromParent();
  }
  marker->eraseFromParent();
  GlobalVariable *code = module.getGlobalVariable(KernelSymbol);
  auto *value = cast<ConstantStruct>(code->getInitializer());
  SmallVector<Constant *, 10> fields;
  for (Use &field : value->operands())
    fields.push_back(cast<Constant>(field));
  fields[4] = ConstantInt::get(fields[4]->getType(), bytes);
  code->setInitializer(ConstantStruct::get(value->getType(), fields));
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
