// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions that the worker keeps for later (defer_adds.h), to one address or to neighbours. The
// cells of neighbours are neighbours, so a whole program compares and adds vectors:
//
//     %tags = load <32 x i64>, cell.addresses;  %miss = mask & (%tags != %p + 4 * lane)
//     br any(%miss), slow, fast
//     fast:  cell.values += mask ? %x : 0
//     slow:  atomicrmw for each lane;  heddle.keep(cell, address) for each lane
//
// heddle.keep gives the cell to the address; what was kept there for another one goes to memory.
#include "simt/widener.h"

#include "base/kernel_abi.h"
#include "simt/defer_adds.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

Constant *nothing(Type *type) {
  return type->isFloatingPointTy() ? ConstantFP::getNegativeZero(type)
                                   : Constant::getNullValue(type);
}

Value *sumOf(IRBuilder<> &builder, Value *a, Value *b) {
  return a->getType()->isFPOrFPVectorTy() ? builder.CreateFAdd(a, b) : builder.CreateAdd(a, b);
}

struct Cell {
  Value *address, *value; ///< pointers into the table
};

Cell cellAt(IRBuilder<> &builder, Value *table, Value *number, Type *type) {
  auto field = [&](uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, offset);
  };
  return {builder.CreateInBoundsGEP(builder.getInt64Ty(), field(offsetof(DeferredAdds, addresses)),
                                    number),
          builder.CreateInBoundsGEP(type, field(offsetof(DeferredAdds, values)), number)};
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
  BasicBlock *entry = block("entry"), *take = block("take"), *add = block("add"),
             *done = block("done");
  IRBuilder<> builder(entry);
  Cell cell = cellAt(builder, table, function->getArg(1), type);
  Value *before = builder.CreateLoad(i64, cell.address);
  builder.CreateCondBr(builder.CreateICmpEQ(before, address), done, take);
  builder.SetInsertPoint(take);
  Value *sum = builder.CreateLoad(type, cell.value);
  builder.CreateStore(address, cell.address);
  builder.CreateStore(nothing(type), cell.value);
  builder.CreateStore(
      builder.getInt64(1),
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, offsetof(DeferredAdds, used)));
  builder.CreateCondBr(builder.CreateIsNull(before), done, add);
  builder.SetInsertPoint(add);
  builder.CreateAtomicRMW(op, builder.CreateIntToPtr(before, builder.getPtrTy()), sum, MaybeAlign(),
                          AtomicOrdering::Monotonic);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return function;
}

} // namespace

/// False if the addition is not to be put off, or its lanes' addresses are neither one nor
/// neighbours.
bool Widener::emitDeferredAdd(AtomicRMWInst &rmw) {
  Value *pointer = rmw.getPointerOperand();
  Type *type = rmw.getType(), *i64 = builder_.getInt64Ty();
  Shape shape = shapes_.of(pointer);
  int64_t size = module_.getDataLayout().getTypeStoreSize(type);
  bool uniform = shape.uniform();
  if (width_ == 1 || !isDeferred(rmw) ||
      !(uniform || (shape.segment == width_ && shape.stride == size)))
    return false;
  static_assert(DeferredMore >= 1024, "as many cells beyond the last as a program has lanes");
  LLVMContext &context = warp_.getContext();
  Function *keep = keepFunction(module_, rmw.getOperation(), type);
  Value *table = builder_.CreateLoad(builder_.getPtrTy(),
                                     field(warp_.getArg(ParamBlock), offsetof(Block, deferred)));
  Value *address = builder_.CreatePtrToInt(scalar(pointer), i64);
  Value *number = builder_.CreateAnd(builder_.CreateUDiv(address, ConstantInt::get(i64, size)),
                                     ConstantInt::get(i64, DeferredCells - 1));
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
  return true;
}

} // namespace heddle::simt
