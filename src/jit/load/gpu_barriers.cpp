// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the front end made has an mbarrier's bits in it (device_mbarrier.h), behind a note of what is
// done with them. On a GPU whose own copies arrive at mbarriers the bits are the machine's:
//
//   call void @__heddle_mbarrier_note(ptr %b, i32 0, i64 %n)          ; begins
//   store volatile i64 %bits, ptr %b
//   ->
//   call void @__heddle_mbarrier_init_sm90(ptr %b, i32 %n)
//
//   call void @__heddle_mbarrier_note(ptr %b, i32 2, i64 %state)      ; looks
//   %now = load volatile i64, ptr %b
//   ->
//   %now = call i64 @__heddle_mbarrier_look_sm90(ptr %b, i64 %state)
//
// What the device library does for others becomes functions of the same names with _sm90
// (devlib/gpu/mbarriers.cpp, tensor_copies.cpp). Where the copies of a proxy of their own are used, a fence
// of the program's is one between proxies, too.
#include "jit/load/gpu_barriers.h"

#include "frontend/error.h"
#include "simt/analysis/mbarriers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

/// Of a note (device_mbarrier.h).
enum Step { Begins, Ends, Looks };

constexpr StringLiteral OwnFunctions[] = {"__heddle_mbarrier_change",  "__heddle_async_note",
                                          "__heddle_tensor_load",      "__heddle_tensor_store",
                                          "__heddle_tensor_multicast", "__heddle_bulk_multicast"};

/// The access to the barrier's bits that a note is of: the next volatile one.
template <class Access> Access *accessBehind(CallInst &note) {
  const Value *barrier = note.getArgOperand(0)->stripPointerCasts();
  BasicBlock *block = note.getParent();
  auto at = std::next(note.getIterator());
  for (unsigned blocks = 0; blocks < 4; ++blocks) {
    for (; at != block->end(); ++at)
      if (auto *access = dyn_cast<Access>(&*at);
          access && access->isVolatile() &&
          access->getPointerOperand()->stripPointerCasts() == barrier)
        return access;
    block = block->getSingleSuccessor();
    if (!block)
      return nullptr;
    at = block->begin();
  }
  return nullptr;
}

Error replaceNote(CallInst &note) {
  Module &module = *note.getModule();
  auto *step = dyn_cast<ConstantInt>(note.getArgOperand(1));
  IRBuilder<> builder(&note);
  Value *barrier = note.getArgOperand(0), *state = note.getArgOperand(2);
  Type *pointer = builder.getPtrTy(), *word = builder.getInt64Ty(), *none = builder.getVoidTy();
  const uint64_t number = step ? step->getZExtValue() : ~0ull;
  if (number == Begins) {
    auto *store = accessBehind<StoreInst>(note);
    if (!store)
      return fail("an mbarrier is made in a way that is not supported on a GPU");
    store->eraseFromParent();
    builder.CreateCall(module.getOrInsertFunction("__heddle_mbarrier_init_sm90", none, pointer,
                                                  builder.getInt32Ty()),
                       {barrier, builder.CreateTrunc(state, builder.getInt32Ty())});
  } else if (number == Ends) {
    builder.CreateCall(module.getOrInsertFunction("__heddle_mbarrier_inval_sm90", none, pointer),
                       {barrier});
  } else {
    auto *load = number == Looks ? accessBehind<LoadInst>(note) : nullptr;
    if (!load)
      return fail("an mbarrier is looked at in a way that is not supported on a GPU");
    builder.SetInsertPoint(load);
    load->replaceAllUsesWith(builder.CreateCall(
        module.getOrInsertFunction("__heddle_mbarrier_look_sm90", word, pointer, word),
        {barrier, state}));
    load->eraseFromParent();
  }
  note.eraseFromParent();
  return Error::success();
}

Error replaceNotes(Module &module) {
  Function *notes = module.getFunction(simt::MbarrierNoteName);
  if (!notes)
    return Error::success();
  for (User *user : make_early_inc_range(notes->users()))
    if (auto *note = dyn_cast<CallInst>(user))
      if (Error error = replaceNote(*note))
        return error;
  return Error::success();
}

/// Behind each fence of the program's.
void fenceProxies(Module &module) {
  for (Function &function : module)
    for (Instruction &one : make_early_inc_range(instructions(function)))
      if (auto *fence = dyn_cast<FenceInst>(&one);
          fence && fence->getSyncScopeID() != SyncScope::SingleThread) {
        IRBuilder<> builder(fence->getNextNode());
        auto *type = FunctionType::get(builder.getVoidTy(), false);
        builder.CreateCall(type, InlineAsm::get(type, "fence.proxy.async;", "~{memory}", true));
      }
}

/// Kernels from which the function may be reached.
SmallSetVector<Function *, 8> kernelsThatReach(Function &function) {
  SmallSetVector<Function *, 16> reached;
  SmallSetVector<Function *, 8> kernels;
  reached.insert(&function);
  for (unsigned i = 0; i < reached.size(); ++i) {
    if (reached[i]->getCallingConv() == CallingConv::PTX_Kernel)
      kernels.insert(reached[i]);
    for (User *user : reached[i]->users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        reached.insert(instruction->getFunction());
  }
  return kernels;
}

/// The barrier is made where such a kernel starts, and a thread that ends takes itself out.
void splitBlockBarriers(Module &module) {
  Function *arrive = module.getFunction("__heddle_block_arrive");
  if (!arrive)
    return;
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  FunctionCallee begin = module.getOrInsertFunction("__heddle_block_begin_sm80", type);
  FunctionCallee end = module.getOrInsertFunction("__heddle_block_end_sm80", type);
  cast<Function>(begin.getCallee())->addFnAttr(Attribute::Convergent);
  for (Function *kernel : kernelsThatReach(*arrive)) {
    IRBuilder<>(&*kernel->getEntryBlock().getFirstNonPHIOrDbgOrAlloca()).CreateCall(begin);
    for (BasicBlock &block : *kernel)
      if (auto *last = dyn_cast<ReturnInst>(block.getTerminator()))
        IRBuilder<>(last).CreateCall(end);
  }
  for (StringRef name : {"__heddle_block_arrive", "__heddle_block_wait"})
    if (Function *function = module.getFunction(name))
      function->setName(name + "_sm80");
}

} // namespace

Error useGpuBarriers(Module &module, unsigned capability) {
  if (capability >= 80)
    splitBlockBarriers(module);
  if (capability < 90)
    return Error::success();
  if (Error error = replaceNotes(module))
    return error;
  bool hasProxies = false;
  for (StringRef name : OwnFunctions)
    if (Function *function = module.getFunction(name)) {
      hasProxies |= name.contains("tensor") || name.contains("multicast");
      function->setName(name + "_sm90");
    }
  if (hasProxies)
    fenceProxies(module);
  return Error::success();
}

} // namespace heddle::jit
