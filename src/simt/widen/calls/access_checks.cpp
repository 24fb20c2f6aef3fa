// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check costs per warp access, not per lane, where the shape of the address allows it:
//
//     uniform        the one address against the bounds
//     a run          the first and the last lane's
//     as the object  the first lane's: each lane at the same place of a variable of its own
//     anything else  a comparison of vectors
//
// A run is tested as if all lanes were active: where the test fails, lanes that are not may be the
// reason, and the slow way looks at each. It asks the device, and joins what that says (a pointer
// for each lane, or for the first) with the pointer as it was.
#include "simt/widen/calls/access_checks.h"

#include "base/abi/check_abi.h"
#include "base/abi/kernel_abi.h"
#include "base/source/tool_files.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

/// Each lane's is as far from the first lane's.
static bool varyAlike(Shape a, Shape b) {
  a.align = b.align;
  return a.regular && a == b;
}

AccessChecks::Check AccessChecks::describe(CallInst &call) const {
  Value *pointer = call.getArgOperand(0);
  Shape shape = e_.shapes.of(pointer), result = e_.shapes.of(&call);
  bool isOne = e_.width == 1 || shape.uniform();
  return {call,
          pointer,
          call.getArgOperand(1),
          call.getArgOperand(2),
          call.getArgOperand(3),
          CheckedSite.get(call).align,
          shape,
          isOne,
          !isOne && result.regular};
}

/// Whether [first, last + length) leaves [low, low + bytes), of numbers or of vectors.
Value *AccessChecks::isOutside(const Check &check, Value *first, Value *last, Value *low) {
  Type *type = first->getType();
  auto spread = [&](Value *value) {
    if (!type->isVectorTy())
      return values_.scalar(value);
    return e_.shapes.isUniform(value) ? values_.splat(values_.scalar(value))
                                      : values_.vector(value);
  };
  Value *bytes = spread(check.bytes), *length = spread(check.length);
  Value *most = builder_.CreateSub(bytes, length);
  Value *outside = builder_.CreateICmpUGT(builder_.CreateSub(first, low), most);
  if (last != first)
    outside =
        builder_.CreateOr(outside, builder_.CreateICmpUGT(builder_.CreateSub(last, low), most));
  outside = builder_.CreateOr(outside, builder_.CreateICmpULT(bytes, length));
  if (check.align > 1) {
    Value *rest = builder_.CreateAnd(first, ConstantInt::get(type, check.align - 1));
    outside = builder_.CreateOr(outside, builder_.CreateIsNotNull(rest));
  }
  return outside;
}

/// A quick test, which may say so of lanes that are not active.
Value *AccessChecks::mayBeOutside(const Check &check) {
  if (isa<ConstantPointerNull>(check.low))
    return builder_.getTrue();
  Shape low = e_.shapes.of(check.low);
  bool isAlike =
      e_.width == 1 || (e_.shapes.isUniform(check.bytes) && e_.shapes.isUniform(check.length));
  bool isOfOne = e_.width == 1 || low.uniform();
  bool goAlong = !isOfOne && varyAlike(check.shape, low);
  bool staysAligned =
      check.isOne || ((check.shape.stride | check.shape.step) & int64_t(check.align - 1)) == 0;
  bool isQuick = goAlong ? staysAligned : isOfOne && (check.isOne || (check.isRun && staysAligned));
  if (!isAlike || !isQuick)
    return masks_.any(suspects(check));
  Value *first = builder_.CreatePtrToInt(values_.scalar(check.pointer), builder_.getInt64Ty());
  Value *last = first;
  if (check.isRun && !goAlong)
    last = builder_.CreateAdd(first, builder_.getInt64(uint64_t(check.shape.span())));
  return isOutside(check, first, last, scalarLow(check));
}

/// Where the object begins, in the first lane. LLVM (22) makes invalid code of the difference of an
/// address and a vector of addresses that it was made of, so it is not to see that.
Value *AccessChecks::scalarLow(const Check &check) {
  Value *low = builder_.CreateStripInvariantGroup(values_.scalar(check.low));
  return builder_.CreatePtrToInt(low, builder_.getInt64Ty());
}

Value *AccessChecks::vectorLow(const Check &check) {
  Type *i64 = builder_.getInt64Ty();
  Shape shape = e_.shapes.of(check.low);
  if (e_.width == 1)
    return scalarLow(check);
  if (!shape.regular) {
    Value *vector = values_.vector(check.low);
    return builder_.CreatePtrToInt(vector, vector->getType()->getWithNewType(i64));
  }
  SmallVector<Constant *, WarpSize> offsets;
  for (unsigned lane = 0; lane < e_.width; ++lane)
    offsets.push_back(builder_.getInt64(uint64_t(shape.offset(lane))));
  return builder_.CreateAdd(values_.splat(scalarLow(check)), ConstantVector::get(offsets));
}

/// The active lanes that are outside.
Value *AccessChecks::suspects(const Check &check) {
  if (isa<ConstantPointerNull>(check.low))
    return masks_.active();
  Value *vector = values_.vector(check.pointer);
  Value *first =
      builder_.CreatePtrToInt(vector, vector->getType()->getWithNewType(builder_.getInt64Ty()));
  return masks_.activeWhere(isOutside(check, first, first, vectorLow(check)));
}

/// For what is told of an access; one in each function.
AllocaInst *AccessChecks::memory() {
  if (!memory_) {
    IRBuilder<> entry(e_.allocaPoint);
    memory_ = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), sizeof(AccessedMemory)));
    memory_->setAlignment(Align(64));
  }
  return memory_;
}

/// Asks the device. The pointers that it gives, as the result is kept.
Value *AccessChecks::ask(const Check &check) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  auto put = [&](size_t offset, Value *value) {
    Align align = commonAlignment(memory()->getAlign(), offset); // of vectors LLVM assumes more
    builder_.CreateAlignedStore(value, e_.field(memory(), offset), align);
  };
  Value *active = masks_.integer(masks_.active()), *bad = masks_.integer(suspects(check));
  put(offsetof(AccessedMemory, pointers), values_.vector(check.pointer));
  bool hasOwn = e_.width > 1 && !e_.shapes.isUniform(check.low);
  put(offsetof(AccessedMemory, bounds.low),
      hasOwn ? Constant::getNullValue(pointer) : values_.scalar(check.low));
  put(offsetof(AccessedMemory, bounds.bytes), values_.scalar(check.bytes));
  bool isSameLength = e_.width == 1 || e_.shapes.isUniform(check.length);
  put(offsetof(AccessedMemory, length),
      isSameLength ? values_.scalar(check.length)
                   : builder_.CreateIntMaxReduce(values_.vector(check.length)));
  put(offsetof(AccessedMemory, suspects), builder_.CreateZExt(bad, i32));
  put(offsetof(AccessedMemory, isRun), builder_.getInt32(check.isRun));
  put(offsetof(AccessedMemory, isMoved), builder_.getInt32(0));
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, pointer, pointer}, false);
  builder_.CreateCall(type, calls_.service(offsetof(CheckServices, outside)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp),
                       builder_.CreateZExt(active, i32), site(check.call), memory()});
  Type *kept = values_.keptType(&check.call);
  return builder_.CreateAlignedLoad(kept, e_.field(memory(), offsetof(AccessedMemory, pointers)),
                                    Align(8));
}

Value *AccessChecks::emitCheck(CallInst &call) {
  Check check = describe(call);
  SiteNote::Facts facts = CheckedSite.get(call);
  // Made in front of the branch: they are at hand behind it.
  Value *pointer = values_.keptType(&call)->isVectorTy() ? values_.vector(check.pointer)
                                                         : values_.scalar(check.pointer);
  Value *moved = calls_.isOn(CheckMemory) ? checkBounds(check, pointer) : pointer;
  bool isOwn = facts.space == AccessSpace::Local || facts.space == AccessSpace::Param;
  if (e_.options.checks & (isOwn ? ChecksOfAll & ~CheckRaces : ChecksOfAll))
    tell(check, moved);
  return moved;
}

/// The pointer, or where the lanes may go.
Value *AccessChecks::checkBounds(const Check &check, Value *pointer) {
  Value *condition = mayBeOutside(check);
  BasicBlock *outside = e_.newBlock("outside");
  BasicBlock *checked = e_.newBlock("checked");
  MDNode *weights = MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights();
  BasicBlock *before = builder_.GetInsertBlock();
  builder_.CreateCondBr(condition, outside, checked, weights);
  builder_.SetInsertPoint(outside);
  LaneValues::Local local = values_.save();
  Value *given = ask(check);
  Value *isMoved = builder_.CreateIsNotNull(builder_.CreateLoad(
      builder_.getInt32Ty(), e_.field(memory(), offsetof(AccessedMemory, isMoved))));
  values_.restore(std::move(local));
  BasicBlock *end = builder_.GetInsertBlock();
  builder_.CreateBr(checked);
  builder_.SetInsertPoint(checked);
  PHINode *result = builder_.CreatePHI(pointer->getType(), 2);
  result->addIncoming(pointer, before);
  result->addIncoming(given, end);
  if (check.isRun) {
    PHINode *moved = builder_.CreatePHI(builder_.getInt1Ty(), 2);
    moved->addIncoming(builder_.getFalse(), before);
    moved->addIncoming(isMoved, end);
    moved_[&check.call] = moved;
  }
  return result;
}

/// Of the store or exchange that a check is for: what each lane stores, in memory. Null for anything
/// else.
Value *AccessChecks::storedValues(CallInst &call) {
  Value *none = Constant::getNullValue(builder_.getPtrTy());
  Value *value = nullptr;
  SmallVector<User *, 4> users(call.users());
  for (size_t i = 0; i < users.size() && !value; ++i) {
    if (auto *store = dyn_cast<StoreInst>(users[i]))
      value = store->getValueOperand();
    else if (auto *rmw = dyn_cast<AtomicRMWInst>(users[i]);
             rmw && rmw->getOperation() == AtomicRMWInst::Xchg)
      value = rmw->getValOperand();
    else if (isa<AddrSpaceCastInst>(users[i]))
      append_range(users, users[i]->users());
  }
  if (!value || !(e_.options.checks & CheckRaces))
    return none;
  Type *type = value->getType();
  if (!type->isIntOrPtrTy() && !type->isFloatingPointTy())
    return none;
  const DataLayout &layout = e_.module.getDataLayout();
  if (layout.getTypeAllocSize(type) > 8 ||
      layout.getTypeAllocSizeInBits(type) != layout.getTypeSizeInBits(type))
    return none;
  if (!stored_) {
    IRBuilder<> entry(e_.allocaPoint);
    stored_ = entry.CreateAlloca(ArrayType::get(entry.getInt64Ty(), MostCheckedLanes));
    stored_->setAlignment(Align(64));
  }
  builder_.CreateAlignedStore(values_.vector(value), stored_, Align(8));
  return stored_;
}

/// Tells of the access, by the checked pointers, unless nothing wants to know.
void AccessChecks::tell(const Check &check, Value *result) {
  SiteNote::Facts facts = CheckedSite.get(check.call);
  bool isOfParam = facts.param != NoCheckedParam, isShared = facts.space == AccessSpace::Shared;
  bool isConstant = facts.space == AccessSpace::Constant; // which only copies change
  if ((!isOfParam && !isShared && !isConstant) || (e_.options.checks & ChecksOfAll) != CheckRaces)
    return tellAlways(check, result);
  auto load = [&](Type *type, Value *object, size_t at) {
    LoadInst *value = builder_.CreateLoad(type, e_.field(object, at));
    value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(type->getContext(), {}));
    return value;
  };
  Type *pointer = builder_.getPtrTy();
  Value *launch = load(pointer, e_.warp.getArg(ParamLaunch), offsetof(Launch, check));
  Value *cannotRace;
  if (isOfParam || isConstant)
    cannotRace =
        load(builder_.getInt8Ty(), load(pointer, launch, offsetof(CheckedLaunch, cannotRace)),
             isConstant ? 0 : 1 + facts.param);
  else // changes while the launch runs
    cannotRace = builder_.CreateLoad(builder_.getInt32Ty(),
                                     e_.field(launch, offsetof(CheckedLaunch, sharedCannotRace)));
  cannotRace = builder_.CreateIsNotNull(cannotRace);
  BasicBlock *told = e_.newBlock("told"), *behind = e_.newBlock("behind");
  builder_.CreateCondBr(cannotRace, behind, told);
  builder_.SetInsertPoint(told);
  LaneValues::Local local = values_.save();
  tellAlways(check, result);
  values_.restore(std::move(local));
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

void AccessChecks::tellAlways(const Check &check, Value *result) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Value *active = builder_.CreateZExt(masks_.integer(masks_.active()), i32);
  SmallVector<Value *, 8> arguments = {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp),
                                       active, site(check.call)};
  SmallVector<Type *, 8> types = {pointer, i32, i32, pointer, pointer};
  bool isRun = check.isOne || (check.isRun && check.shape.segment == e_.width);
  bool isSameLength = e_.width == 1 || e_.shapes.isUniform(check.length);
  if (isRun) {
    arguments.push_back(result);
    arguments.push_back(builder_.getInt64(check.isOne ? 0 : uint64_t(check.shape.stride)));
    types.push_back(i64);
  } else {
    Shape shape = e_.shapes.of(&check.call);
    SmallVector<Constant *, 32> offsets;
    for (unsigned lane = 0; lane < e_.width; ++lane)
      offsets.push_back(builder_.getInt64(uint64_t(shape.offset(lane))));
    if (check.isRun)
      result = builder_.CreateGEP(builder_.getInt8Ty(), values_.splat(result),
                                  ConstantVector::get(offsets));
    Value *all = e_.field(memory(), offsetof(AccessedMemory, pointers));
    builder_.CreateAlignedStore(result, all, Align(8));
    arguments.push_back(all);
  }
  arguments.push_back(isSameLength ? values_.scalar(check.length)
                                   : builder_.CreateIntMaxReduce(values_.vector(check.length)));
  types.push_back(i64);
  arguments.push_back(storedValues(check.call));
  types.push_back(pointer);
  size_t offset =
      isRun ? offsetof(CheckServices, accessesRun) : offsetof(CheckServices, accessesEach);
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), types, false), calls_.service(offset),
                      arguments);
}

/// Only a run moves as a whole, and takes what lanes have written with it.
void AccessChecks::emitChecked(CallInst &call) {
  auto *check = dyn_cast<CallInst>(call.getArgOperand(1));
  if (!check || callKind(*check) != CallKind::Check || !describe(*check).isRun)
    return;
  Value *moved = moved_.lookup(check);
  if (!moved)
    return;
  BasicBlock *written = e_.newBlock("written");
  BasicBlock *after = e_.newBlock("after");
  MDNode *weights = MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights();
  builder_.CreateCondBr(moved, written, after, weights);
  builder_.SetInsertPoint(written);
  FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
  builder_.CreateCall(type, calls_.service(offsetof(CheckServices, written)),
                      {e_.warp.getArg(ParamBlock)});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

Value *AccessChecks::emitHeap(CallInst &call, LaneArrays &arrays, LaneLoops &loops) {
  bool isMalloc = callKind(call) == CallKind::Allocate;
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  size_t offset = isMalloc ? offsetof(CheckServices, allocate) : offsetof(CheckServices, release);
  auto *type = FunctionType::get(
      call.getType(), {pointer, call.getArgOperand(0)->getType(), i32, i32, pointer}, false);
  Value *function = calls_.service(offset), *operand = values_.laneOperand(call.getArgOperand(0));
  Constant *where = site(call);
  return loops.forEachLane(
      isMalloc ? e_.vectorType(pointer) : nullptr, [&](Value *lane) -> Value * {
        return builder_.CreateCall(type, function,
                                   {e_.warp.getArg(ParamBlock), arrays.extractLane(operand, lane),
                                    e_.warp.getArg(ParamWarp), lane, where});
      });
}

/// A variable's name as the source has it: `_QMmPsubEx` is m::sub::x, and what a kernel of CUDA Fortran
/// shares (frontend/fortran/shared_memory.cpp) has its kernel's name in front.
static std::string shownName(StringRef name) {
  if (!name.consume_front("_Q"))
    return demangle(name);
  auto [scope, own] = name.split("__shared_mem__");
  own = own.take_front(own.find("__Q"));
  std::string shown;
  for (char letter : scope)
    if (isUpper(letter))
      shown += shown.empty() ? "" : "::";
    else
      shown += letter;
  return own.empty() ? shown : shown + "::" + own.str();
}

/// The AccessSite.
Constant *AccessChecks::site(CallInst &call) {
  if (Constant *known = sites_.lookup(&call))
    return known;
  SiteNote::Facts facts = CheckedSite.get(call);
  unsigned count = 0;
  Constant *where = calls_.frames(call, count);
  Constant *name = facts.variable.empty() ? Constant::getNullValue(builder_.getPtrTy())
                                          : calls_.text(shownName(facts.variable));
  static_assert(offsetof(AccessSite, frameCount) == 8 && offsetof(AccessSite, bytes) == 12 &&
                offsetof(AccessSite, kind) == 16 && offsetof(AccessSite, isVolatile) == 19 &&
                offsetof(AccessSite, order) == 20 && offsetof(AccessSite, scope) == 21 &&
                offsetof(AccessSite, variable) == 24);
  return sites_[&call] = calls_.constant(
             {where, builder_.getInt32(count), builder_.getInt32(uint32_t(facts.bytes)),
              builder_.getInt8(uint8_t(facts.access)), builder_.getInt8(uint8_t(facts.space)),
              builder_.getInt8(uint8_t(Log2_64(facts.align))), builder_.getInt8(facts.isVolatile),
              builder_.getInt8(facts.order), builder_.getInt8(uint8_t(facts.scope)), name},
             "site");
}

} // namespace heddle::simt
