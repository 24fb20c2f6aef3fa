// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the CPU an element of a surface has an address, at which code loads and stores (surface_functions.h).
// On a GPU it has none: the element goes through a place of the thread's, and an instruction reads it before
// or writes it behind. The instruction knows itself what lies outside.
//
//   %e = call ptr @__heddle_surface_at(i64 %s, i32 8, i32 %x, i32 %y, i32 %z, i1 false, i32 514)
//   %outside = icmp eq ptr %e, null
//   br i1 %outside, ...
//   %v = load <2 x float>, ptr %e          ; or: store
//   ->
//   call void @__heddle_surface_load_gpu(i64 %s, i32 %x, i32 %y, i32 %z, i32 514, i32 8, ptr %place)
//   br i1 false, ...
//   %v = load <2 x float>, ptr %place      ; or: store, and __heddle_surface_store_gpu behind
//
// Reductions and stores by the surface's format (PTX, "sured", "sust.p") are calls of their own.
#include "jit/load/gpu_surfaces.h"

#include "frontend/error.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

constexpr const char *ElementName = "__heddle_surface_at", *PutName = "__heddle_surface_put";

/// One call of ElementName.
class Element {
public:
  explicit Element(CallInst &at) : at_(at), module_(*at.getModule()) {}

  Error replace() {
    isInside();
    if (!collect(at_))
      return fail(
          "the address of a surface's element is used in a way that is not supported on a GPU");
    auto *bytes = dyn_cast<ConstantInt>(at_.getArgOperand(1));
    if (reads_ || !writes_.empty()) {
      if (!bytes || !isPowerOf2_64(bytes->getZExtValue()) || bytes->getZExtValue() > 16)
        return fail("elements of a surface have 1, 2, 4, 8 or 16 bytes on a GPU");
    }
    for (AtomicRMWInst *reduction : reductions_)
      if (!reduce(*reduction, !bytes))
        return fail("a surface's reduction is not supported on a GPU");
    for (CallInst *put : puts_) {
      SmallVector<Value *, 9> arguments = place();
      append_range(arguments, drop_begin(put->args(), 2));
      call("__heddle_surface_put_gpu", arguments, put);
      put->eraseFromParent();
    }
    move();
    at_.eraseFromParent();
    return Error::success();
  }

private:
  /// Nothing is outside.
  void isInside() {
    for (User *user : make_early_inc_range(at_.users()))
      if (auto *compare = dyn_cast<ICmpInst>(user);
          compare && compare->isEquality() && isa<ConstantPointerNull>(compare->getOperand(1))) {
        compare->replaceAllUsesWith(
            ConstantInt::getBool(compare->getType(), compare->getPredicate() == CmpInst::ICMP_NE));
        compare->eraseFromParent();
      }
    for (User *user : make_early_inc_range(at_.users()))
      if (auto *select = dyn_cast<SelectInst>(user))
        if (auto *condition = dyn_cast<ConstantInt>(select->getCondition())) {
          select->replaceAllUsesWith(condition->isOne() ? select->getTrueValue()
                                                        : select->getFalseValue());
          select->eraseFromParent();
        }
  }

  bool collect(Instruction &pointer) {
    for (User *user : pointer.users()) {
      auto *one = cast<Instruction>(user);
      auto *call = dyn_cast<CallInst>(one);
      if (isa<LoadInst>(one))
        reads_ = true;
      else if (auto *store = dyn_cast<StoreInst>(one);
               store && store->getPointerOperand() == &pointer)
        writes_[one->getParent()].push_back(store);
      else if (auto *copy = dyn_cast<MemTransferInst>(one); copy && copy->getRawDest() == &pointer)
        writes_[one->getParent()].push_back(copy);
      else if (copy)
        reads_ = true;
      else if (auto *reduction = dyn_cast<AtomicRMWInst>(one))
        reductions_.push_back(reduction);
      else if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == PutName)
        puts_.push_back(call);
      else if (!(isa<GetElementPtrInst, AddrSpaceCastInst>(one) && collect(*one)))
        return false;
    }
    return true;
  }

  /// object, x, y, slice, how
  SmallVector<Value *, 9> place() {
    return {at_.getArgOperand(0), at_.getArgOperand(2), at_.getArgOperand(3), at_.getArgOperand(4),
            at_.getArgOperand(6)};
  }

  void call(StringRef name, ArrayRef<Value *> arguments, Instruction *before) {
    SmallVector<Type *, 9> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    IRBuilder<> builder(before);
    auto *type = FunctionType::get(builder.getVoidTy(), types, false);
    builder.CreateCall(module_.getOrInsertFunction(name, type), arguments);
  }

  bool reduce(AtomicRMWInst &reduction, bool isFormatted) {
    enum { Add, Min, Max, And, Or };
    enum { U32, S32, U64, S64, Format };
    using Op = AtomicRMWInst;
    const Op::BinOp operation = reduction.getOperation();
    const int number = operation == Op::Add                            ? Add
                       : operation == Op::Min || operation == Op::UMin ? Min
                       : operation == Op::Max || operation == Op::UMax ? Max
                       : operation == Op::And                          ? And
                       : operation == Op::Or                           ? Or
                                                                       : -1;
    Type *type = reduction.getValOperand()->getType();
    if (number < 0 || !reduction.use_empty() || !(type->isIntegerTy(32) || type->isIntegerTy(64)))
      return false;
    const bool isSigned = operation == Op::Min || operation == Op::Max;
    const int kind = isFormatted             ? Format
                     : type->isIntegerTy(64) ? (isSigned ? S64 : U64)
                     : isSigned              ? S32
                                             : U32;
    IRBuilder<> builder(&reduction);
    SmallVector<Value *, 9> arguments = place();
    append_values(arguments, builder.getInt32(unsigned(number)), builder.getInt32(unsigned(kind)),
                  builder.CreateZExt(reduction.getValOperand(), builder.getInt64Ty()));
    call("__heddle_surface_reduce_gpu", arguments, &reduction);
    reduction.eraseFromParent();
    return true;
  }

  /// Loads and stores go to the thread's place.
  void move() {
    if (at_.use_empty())
      return;
    BasicBlock &entry = at_.getFunction()->getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    AllocaInst *own = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), 16));
    own->setAlignment(Align(16));
    SmallVector<Value *, 9> arguments = place();
    append_values(arguments, at_.getArgOperand(1), own);
    if (reads_)
      call("__heddle_surface_load_gpu", arguments, &at_);
    for (auto &[block, stores] : writes_) {
      Instruction *last = stores.front();
      for (Instruction *store : stores)
        if (last->comesBefore(store))
          last = store;
      call("__heddle_surface_store_gpu", arguments, last->getNextNode());
    }
    at_.replaceAllUsesWith(own);
  }

  CallInst &at_;
  Module &module_;
  bool reads_ = false;
  MapVector<BasicBlock *, SmallVector<Instruction *, 4>> writes_;
  SmallVector<AtomicRMWInst *, 2> reductions_;
  SmallVector<CallInst *, 1> puts_;
};

} // namespace

Error useGpuSurfaces(Module &module) {
  Function *function = module.getFunction(ElementName);
  if (!function)
    return Error::success();
  for (User *user : make_early_inc_range(function->users()))
    if (auto *call = dyn_cast<CallInst>(user))
      if (Error error = Element(*call).replace())
        return error;
  return Error::success();
}

} // namespace heddle::jit
