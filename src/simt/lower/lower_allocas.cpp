// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alloca(n) in device code. What passes behind this one know as local memory is an array with an
// element for each lane, whose size is known and which is in the frame of a program that may wait.
// Lanes ask for different sizes, and again and again in loops. So such memory comes from the runtime
// (Services::allocate, from a heap of its own), and each function keeps a chain of what it has
// asked for, which it gives back when it returns:
//
//     %p = alloca i8, i64 %n          %chain = alloca ptr                  ; null at first
//     ...                        ->   %piece = call ptr @__heddle_local_allocate(i64 %bytes)
//     ret void                        store (load %chain), %piece          ; the one before
//                                     store %piece, %chain
//                                     %p = getelementptr i8, %piece, 16
//                                     ...
//                                     call @heddle.release_locals(%chain, null)
//                                     ret void
//
// llvm.stacksave and llvm.stackrestore, which LLVM puts around what it inlines of such functions, are
// the chain's head and the release of all that came after it. A thread that ends in the middle of a
// function leaves its pieces.
//
// What is asked for once a call and has a constant size is an ordinary variable, wherever it stands.
#include "simt/lower/lower_allocas.h"

#include "base/abi/local_memory.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t HeaderBytes = 16; ///< holds the piece before, and keeps the alignment

bool mayComeAgain(BasicBlock &block) {
  SmallVector<BasicBlock *, 4> next(successors(&block));
  return !next.empty() && isPotentiallyReachableFromMany(next, &block, nullptr);
}

/// Whether it is an ordinary variable, which is moved to the others then.
bool makeStatic(AllocaInst &alloca) {
  if (alloca.isStaticAlloca())
    return true;
  if (!isa<ConstantInt>(alloca.getArraySize()) || mayComeAgain(*alloca.getParent()))
    return false;
  alloca.moveBefore(alloca.getFunction()->getEntryBlock().getFirstInsertionPt());
  return true;
}

/// define internal void @heddle.release_locals(ptr %chain, ptr %mark): what came after %mark.
Function &releaser(Module &module) {
  constexpr StringLiteral Name = "heddle.release_locals";
  if (Function *known = module.getFunction(Name))
    return *known;
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0), *none = Type::getVoidTy(context);
  auto *function = Function::Create(FunctionType::get(none, {pointer, pointer}, false),
                                    GlobalValue::InternalLinkage, Name, module);
  FunctionCallee release = module.getOrInsertFunction(LocalReleaseName, none, pointer);
  Value *chain = function->getArg(0), *mark = function->getArg(1);
  auto *entry = BasicBlock::Create(context, "entry", function);
  auto *loop = BasicBlock::Create(context, "loop", function);
  auto *body = BasicBlock::Create(context, "body", function);
  auto *end = BasicBlock::Create(context, "end", function);
  IRBuilder<> builder(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  Value *piece = builder.CreateLoad(pointer, chain, "piece");
  Value *isOver = builder.CreateOr(builder.CreateICmpEQ(piece, mark), builder.CreateIsNull(piece));
  builder.CreateCondBr(isOver, end, body);
  builder.SetInsertPoint(body);
  builder.CreateStore(builder.CreateLoad(pointer, piece, "before"), chain);
  builder.CreateCall(release, {piece});
  builder.CreateBr(loop);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return *function;
}

class AllocaLowering {
public:
  explicit AllocaLowering(Function &function)
      : function_(function), module_(*function.getParent()) {}

  void run() {
    SmallVector<AllocaInst *, 4> allocas;
    SmallVector<IntrinsicInst *, 4> marks;
    for (Instruction &instruction : make_early_inc_range(instructions(function_)))
      if (auto *alloca = dyn_cast<AllocaInst>(&instruction)) {
        if (!makeStatic(*alloca))
          allocas.push_back(alloca);
      } else if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
        if (call->getIntrinsicID() == Intrinsic::stacksave ||
            call->getIntrinsicID() == Intrinsic::stackrestore)
          marks.push_back(call);
      }
    if (allocas.empty())
      return;
    IRBuilder<> entry(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Type *pointer = entry.getPtrTy();
    chain_ = new AllocaInst(pointer, module_.getDataLayout().getAllocaAddrSpace(), "locals",
                            function_.getEntryBlock().begin());
    entry.CreateStore(ConstantPointerNull::get(cast<PointerType>(pointer)), chain_);
    for (AllocaInst *alloca : allocas)
      lower(*alloca);
    for (IntrinsicInst *mark : marks)
      lower(*mark);
    for (BasicBlock &block : function_)
      if (isa<ReturnInst>(block.getTerminator()))
        release(*block.getTerminator(), ConstantPointerNull::get(cast<PointerType>(pointer)));
  }

private:
  void lower(AllocaInst &alloca) {
    IRBuilder<> builder(&alloca);
    Type *i64 = builder.getInt64Ty(), *pointer = builder.getPtrTy();
    uint64_t size = module_.getDataLayout().getTypeAllocSize(alloca.getAllocatedType());
    uint64_t align = std::max<uint64_t>(alloca.getAlign().value(), HeaderBytes);
    Value *count = builder.CreateZExtOrTrunc(alloca.getArraySize(), i64);
    Value *bytes = builder.CreateMul(count, builder.getInt64(size));
    bytes = builder.CreateAdd(bytes, builder.getInt64(align)); // the header, in its first bytes
    FunctionCallee allocate = module_.getOrInsertFunction(LocalAllocateName, pointer, i64);
    // The size, not the piece, tells the heap: the service is that of malloc.
    Value *piece = builder.CreateCall(allocate, {builder.CreateOr(bytes, LocalBytes)}, "piece");
    builder.CreateStore(builder.CreateLoad(pointer, chain_), piece);
    builder.CreateStore(piece, chain_);
    Value *memory = builder.CreateGEP(builder.getInt8Ty(), piece, builder.getInt64(HeaderBytes));
    if (align > HeaderBytes) {
      memory = builder.CreateGEP(builder.getInt8Ty(), piece, builder.getInt64(align));
      memory = builder.CreateIntrinsic(Intrinsic::ptrmask, {pointer, i64},
                                       {memory, builder.getInt64(~(align - 1))});
    }
    memory->takeName(&alloca);
    alloca.replaceAllUsesWith(memory);
    alloca.eraseFromParent();
  }

  void lower(IntrinsicInst &mark) {
    IRBuilder<> builder(&mark);
    if (mark.getIntrinsicID() == Intrinsic::stacksave)
      mark.replaceAllUsesWith(builder.CreateLoad(builder.getPtrTy(), chain_, "mark"));
    else
      release(mark, mark.getArgOperand(0));
    mark.eraseFromParent();
  }

  void release(Instruction &before, Value *mark) {
    IRBuilder<> builder(&before);
    builder.CreateCall(&releaser(module_), {chain_, mark});
  }

  Function &function_;
  Module &module_;
  AllocaInst *chain_ = nullptr;
};

} // namespace

void lowerAllocas(Module &module) {
  SmallVector<Function *, 16> functions;
  for (Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (Function *function : functions)
    AllocaLowering(*function).run();
}

} // namespace heddle::simt
