// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions that the worker keeps for later (privatize_atomics.h), to one address or to neighbours.
// The cells of neighbours are neighbours, so a whole program compares and adds vectors:
//
//     %tags = load <32 x i64>, cell.addresses;  %miss = mask & (%tags != %p + 4 * lane)
//     br any(%miss), slow, fast
//     fast:  cell.values += mask ? %x : 0
//     slow:  atomicrmw for each lane;  heddle.keep(cell, address) for each lane
//
// Lanes with addresses of their own look into their cells one after the other, and note which
// failed. If they are elements of an array that is kept as a whole (DeferredAdds::whole), as the
// indices of all lanes together tell, they add to its copy without looking:
//
//     br all(%index < launch's bytes / 4), whole, cells
//     whole:  for each lane: copy[%index] += %x
//
// heddle.keep gives the cell to the address; what was kept there for another one goes to memory.
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LanesOfCells = 4; ///< looked at in one turn of the loop over all lanes

Constant *nothing(Type *type) {
  return type->isFloatingPointTy() ? ConstantFP::getNegativeZero(type)
                                   : Constant::getNullValue(type);
}

Value *sumOf(IRBuilder<> &builder, Value *a, Value *b) {
  return a->getType()->isFPOrFPVectorTy() ? builder.CreateFAdd(a, b) : builder.CreateAdd(a, b);
}

/// The address of a field of DeferredAdds.
Value *fieldAt(IRBuilder<> &builder, Value *table, uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, offset);
}

struct Cell {
  Value *address, *value; ///< pointers into the table
};

Cell cellAt(IRBuilder<> &builder, Value *table, Value *number, Type *type) {
  auto field = [&](uint64_t offset) { return fieldAt(builder, table, offset); };
  return {builder.CreateInBoundsGEP(builder.getInt64Ty(), field(offsetof(DeferredAdds, addresses)),
                                    number),
          builder.CreateInBoundsGEP(type, field(offsetof(DeferredAdds, values)), number)};
}

Value *evictions(IRBuilder<> &builder, Value *table) {
  return fieldAt(builder, table, offsetof(DeferredAdds, evictions));
}

Value *cellNumber(IRBuilder<> &builder, Value *address, int64_t size) {
  return builder.CreateAnd(builder.CreateUDiv(address, builder.getInt64(size)),
                           builder.getInt64(DeferredCells - 1));
}

/// void heddle.keep(table, cell number, address)
Function *keepFunction(Module &module, AtomicRMWInst::BinOp op, Type *type) {
  constexpr StringLiteral Name = "heddle.keep";
  if (Function *function = module.getFunction(Name)) // a kernel has one kind
    return function;
  LLVMContext &context = module.getContext();
  Type *i64 = Type::getInt64Ty(context);
  Function *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0), i64, i64}, false),
      GlobalValue::InternalLinkage, Name, module);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::NoInline);
  Value *table = function->getArg(0), *address = function->getArg(2);
  auto block = [&](const char *name) { return BasicBlock::Create(context, name, function); };
  BasicBlock *entry = block("entry"), *take = block("take"), *evict = block("evict"),
             *done = block("done");
  IRBuilder<> builder(entry);
  Cell cell = cellAt(builder, table, function->getArg(1), type);
  Value *before = builder.CreateLoad(i64, cell.address);
  Value *count = evictions(builder, table), *evicted = builder.CreateLoad(i64, count);
  Value *isFull = builder.CreateICmpUGE(evicted, builder.getInt64(DeferredEvictions));
  builder.CreateCondBr(builder.CreateOr(isFull, builder.CreateICmpEQ(before, address)), done, take);
  builder.SetInsertPoint(take);
  Value *sum = builder.CreateLoad(type, cell.value);
  builder.CreateStore(address, cell.address);
  builder.CreateStore(nothing(type), cell.value);
  builder.CreateStore(builder.getInt64(1), fieldAt(builder, table, offsetof(DeferredAdds, used)));
  builder.CreateCondBr(builder.CreateIsNull(before), done, evict);
  builder.SetInsertPoint(evict);
  builder.CreateStore(builder.CreateAdd(evicted, builder.getInt64(1)), count);
  builder.CreateAtomicRMW(op, builder.CreateIntToPtr(before, builder.getPtrTy()), sum, MaybeAlign(),
                          AtomicOrdering::Monotonic);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return function;
}

} // namespace

/// False if the addition is not to be put off, or not worth it.
bool Widener::emitDeferredAdd(AtomicRMWInst &rmw) {
  if (width_ == 1 || !DeferredAddition.isOn(rmw))
    return false;
  Shape shape = shapes_.of(rmw.getPointerOperand());
  int64_t size = module_.getDataLayout().getTypeStoreSize(rmw.getType());
  bool together = shape.uniform() || (shape.segment == width_ && shape.stride == size);
  if (together && !DeferredAddition.isSame(rmw))
    return false;
  Value *table = builder_.CreateLoad(builder_.getPtrTy(),
                                     field(warp_.getArg(ParamBlock), offsetof(Block, deferred)));
  together ? addTogether(rmw, table, size) : addByLane(rmw, table, size);
  return true;
}

/// To one address, or to neighbours.
void Widener::addTogether(AtomicRMWInst &rmw, Value *table, int64_t size) {
  Value *pointer = rmw.getPointerOperand();
  Type *type = rmw.getType(), *i64 = builder_.getInt64Ty();
  bool uniform = shapes_.isUniform(pointer);
  static_assert(DeferredMore >= 1024, "as many cells beyond the last as a program has lanes");
  LLVMContext &context = warp_.getContext();
  Function *keep = keepFunction(module_, rmw.getOperation(), type);
  Value *address = builder_.CreatePtrToInt(scalar(pointer), i64);
  Value *number = cellNumber(builder_, address, size);
  Cell cell = cellAt(builder_, table, number, type);
  Value *operands = builder_.CreateSelect(mask_, vector(rmw.getValOperand()), splat(nothing(type)));
  if (uniform)
    operands = emitSum(operands);
  Type *tagType = uniform ? i64 : vectorType(i64);
  Value *wanted = address;
  if (!uniform)
    wanted = builder_.CreateAdd(
        splat(address), builder_.CreateMul(laneNumbers(i64), splat(ConstantInt::get(i64, size))));
  Value *differs =
      builder_.CreateICmpNE(builder_.CreateAlignedLoad(tagType, cell.address, Align(8)), wanted);
  BasicBlock *fast = BasicBlock::Create(context, "kept", &warp_);
  BasicBlock *slow = BasicBlock::Create(context, "first", &warp_);
  BasicBlock *done = BasicBlock::Create(context, "add.done", &warp_);
  builder_.CreateCondBr(uniform ? differs : any(activeWhere(differs)), slow, fast);

  builder_.SetInsertPoint(fast);
  Value *sum = builder_.CreateAlignedLoad(operands->getType(), cell.value, Align(size));
  builder_.CreateAlignedStore(sumOf(builder_, sum, operands), cell.value, Align(size));
  builder_.CreateBr(done);

  builder_.SetInsertPoint(slow);
  auto localCopy = local_; // what is made behind the branch is not there after it
  auto vectorCopy = localVectors_;
  if (uniform) {
    builder_.CreateAtomicRMW(rmw.getOperation(), scalar(pointer), operands, rmw.getAlign(),
                             rmw.getOrdering(), rmw.getSyncScopeID());
    builder_.CreateCall(keep, {table, number, address});
  } else {
    emitLanesInTurn(rmw, nullptr);
    forEachLane(nullptr, [&](Value *lane) -> Value * {
      Value *wide = builder_.CreateZExt(lane, i64);
      Value *offset = builder_.CreateMul(wide, ConstantInt::get(i64, size));
      return builder_.CreateCall(
          keep, {table, builder_.CreateAdd(number, wide), builder_.CreateAdd(address, offset)});
    });
  }
  local_ = std::move(localCopy);
  localVectors_ = std::move(vectorCopy);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

/// Whether all active lanes add to elements of the array that is kept as a whole; null if that
/// cannot be told from one index. `start`: bytes from the array's beginning to the lanes' base.
Value *Widener::isInWhole(const LaneAddress &pointer, Value *table, Value *start, int64_t size) {
  if (!pointer.element || pointer.element->getNumIndices() != 1)
    return nullptr;
  Value *index = *pointer.element->idx_begin();
  const CastInst *extension = pointer.indices[0].extension;
  bool isSigned = !extension || isa<SExtInst>(extension);
  if (extension)
    index = extension->getOperand(0);
  Type *i64 = builder_.getInt64Ty(), *narrow = index->getType();
  uint64_t scale =
      module_.getDataLayout().getTypeAllocSize(pointer.element->getSourceElementType());
  unsigned bits = narrow->getIntegerBitWidth();
  if (scale % uint64_t(size) != 0 || bits > 64)
    return nullptr;
  Value *bytes = deferredField(table, offsetof(DeferredAdds, wholeBytes));
  Value *isInside = builder_.CreateAnd(
      builder_.CreateICmpULT(start, bytes),
      builder_.CreateIsNull(builder_.CreateAnd(start, builder_.getInt64(uint64_t(size) - 1))));
  Value *count = builder_.CreateSelect(
      isInside, builder_.CreateUDiv(builder_.CreateSub(bytes, start), builder_.getInt64(scale)),
      builder_.getInt64(0));
  Value *most = ConstantInt::get(i64, APInt::getMaxValue(bits - isSigned).zext(64));
  Value *last = builder_.CreateBinaryIntrinsic(
      Intrinsic::umin, builder_.CreateSub(count, builder_.getInt64(1)), most);
  Value *outside = builder_.CreateICmpUGT(vector(index), splat(builder_.CreateTrunc(last, narrow)));
  return builder_.CreateAnd(builder_.CreateIsNotNull(count),
                            builder_.CreateNot(any(activeWhere(outside))));
}

/// What the runner has set for the launch.
Value *Widener::deferredField(Value *table, uint64_t offset) {
  LoadInst *load = builder_.CreateLoad(builder_.getInt64Ty(), fieldAt(builder_, table, offset));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
  return load;
}

/// Lanes whose array is kept as a whole. Leaves the builder where it is not; goes to `done` behind.
void Widener::addToWhole(const LaneAddress &pointer, Value *operands, Value *table, int64_t size,
                         BasicBlock *done) {
  if (!pointer.element)
    return;
  Type *i64 = builder_.getInt64Ty(), *i8 = builder_.getInt8Ty(),
       *type = operands->getType()->getScalarType();
  Value *start = builder_.CreateSub(builder_.CreatePtrToInt(pointer.base, i64),
                                    deferredField(table, offsetof(DeferredAdds, wholeBase)));
  Value *isWhole = isInWhole(pointer, table, start, size);
  if (!isWhole)
    return;
  LLVMContext &context = warp_.getContext();
  BasicBlock *whole = BasicBlock::Create(context, "whole", &warp_);
  BasicBlock *other = BasicBlock::Create(context, "add.other", &warp_);
  builder_.CreateCondBr(isWhole, whole, other);
  auto localCopy = local_; // what is made behind the branch is not there after it
  auto vectorCopy = localVectors_;
  builder_.SetInsertPoint(whole);
  builder_.CreateStore(builder_.getInt64(1),
                       fieldAt(builder_, table, offsetof(DeferredAdds, used)));
  LaneAddress copy = pointer;
  copy.base =
      builder_.CreateGEP(i8, fieldAt(builder_, table, offsetof(DeferredAdds, whole)), start);
  forEachLane(
      nullptr,
      [&](Value *lane) -> Value * {
        Value *element = addressOfLane(copy, lane);
        Value *sum = builder_.CreateAlignedLoad(type, element, Align(uint64_t(size)));
        builder_.CreateAlignedStore(sumOf(builder_, sum, extractLane(operands, lane)), element,
                                    Align(uint64_t(size)));
        return nullptr;
      },
      LanesOfCells);
  builder_.CreateBr(done);
  local_ = std::move(localCopy);
  localVectors_ = std::move(vectorCopy);
  builder_.SetInsertPoint(other);
}

/// To an address of its own for each lane. A lane that finds another address in its cell adds
/// nothing to it, and is noted.
void Widener::addByLane(AtomicRMWInst &rmw, Value *table, int64_t size) {
  Type *type = rmw.getType(), *i64 = builder_.getInt64Ty(), *i8 = builder_.getInt8Ty();
  LLVMContext &context = warp_.getContext();
  Function *keep = keepFunction(module_, rmw.getOperation(), type);
  LaneAddress pointer = laneAddress(rmw, rmw.getPointerOperand());
  Value *operands = laneOperand(rmw.getValOperand()), *mask = mask_;
  BasicBlock *cells = BasicBlock::Create(context, "cells", &warp_);
  BasicBlock *misses = BasicBlock::Create(context, "misses", &warp_);
  BasicBlock *locked = BasicBlock::Create(context, "locked", &warp_);
  BasicBlock *done = BasicBlock::Create(context, "add.done", &warp_);
  addToWhole(pointer, operands, table, size, done);
  auto localCopy = local_; // what is made behind the branches is not there after them
  auto vectorCopy = localVectors_;
  Value *evicted = builder_.CreateLoad(i64, evictions(builder_, table));
  builder_.CreateCondBr(builder_.CreateICmpULT(evicted, builder_.getInt64(DeferredEvictions)),
                        cells, locked);

  builder_.SetInsertPoint(cells);
  Value *missed = forEachLane(
      vectorType(i8),
      [&](Value *lane) -> Value * {
        Value *address = builder_.CreatePtrToInt(addressOfLane(pointer, lane), i64);
        Cell cell = cellAt(builder_, table, cellNumber(builder_, address, size), type);
        Value *hit = builder_.CreateICmpEQ(builder_.CreateLoad(i64, cell.address), address);
        Value *added = builder_.CreateSelect(hit, extractLane(operands, lane), nothing(type));
        Value *sum = builder_.CreateAlignedLoad(type, cell.value, Align(size));
        builder_.CreateAlignedStore(sumOf(builder_, sum, added), cell.value, Align(size));
        return builder_.CreateZExt(builder_.CreateNot(hit), i8);
      },
      LanesOfCells);
  Value *rest = activeWhere(builder_.CreateIsNotNull(missed));
  builder_.CreateCondBr(any(rest), misses, done);

  builder_.SetInsertPoint(misses);
  mask_ = rest;
  emitLanesInTurn(rmw, nullptr);
  forEachLane(nullptr, [&](Value *lane) -> Value * {
    Value *address = builder_.CreatePtrToInt(addressOfLane(pointer, lane), i64);
    return builder_.CreateCall(keep, {table, cellNumber(builder_, address, size), address});
  });
  mask_ = mask;
  builder_.CreateBr(done);

  local_ = localCopy;
  localVectors_ = vectorCopy;
  builder_.SetInsertPoint(locked);
  emitLanesInTurn(rmw, nullptr);
  builder_.CreateBr(done);
  local_ = std::move(localCopy);
  localVectors_ = std::move(vectorCopy);
  builder_.SetInsertPoint(done);
}

} // namespace heddle::simt
