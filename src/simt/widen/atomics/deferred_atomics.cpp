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
// failed. If all are elements of an array that is kept as a whole (DeferredAdds::wholes), they add
// to its copy without looking:
//
//     %element = rotate right (%p - whole.base), 2      a misaligned one is far outside
//     br all(%element < whole.elements), whole, cells
//     whole:  for each lane: whole.copy[%element] += %x
//
// Where the address is a base and one index, the index itself is compared, in as many bits as it
// had before it was extended: a vector of bytes for a histogram of bytes.
//
// heddle.keep gives the cell to the address; what was kept there for another one goes to memory.
#include "simt/widen/atomics/deferred_atomics.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/pass_notes.h"
#include "simt/widen/atomics/lane_reductions.h"

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

constexpr StringLiteral KeepName = "heddle.keep";

/// void heddle.keep(table, cell number, address)
Function *keepFunction(Module &module, AtomicRMWInst::BinOp op, Type *type) {
  if (Function *function = module.getFunction(KeepName)) // a kernel has one kind
    return function;
  LLVMContext &context = module.getContext();
  Type *i64 = Type::getInt64Ty(context);
  Function *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0), i64, i64}, false),
      GlobalValue::InternalLinkage, KeepName, module);
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

bool isKeepFunction(const Function &function) { return function.getName() == KeepName; }

/// To one address, or to neighbours.
bool DeferredAtomics::isRegular(const AtomicRMWInst &rmw) const {
  Shape shape = e_.shapes.of(rmw.getPointerOperand());
  return shape.uniform() || (shape.segment == e_.width && shape.stride == e_.sizeOf(rmw.getType()));
}

bool DeferredAtomics::emit(AtomicRMWInst &rmw) {
  std::optional<DeferredNote::Facts> facts = DeferredAddition.get(rmw);
  if (e_.width == 1 || !facts)
    return false;
  int64_t size = e_.sizeOf(rmw.getType());
  bool isUniform = e_.shapes.isUniform(rmw.getPointerOperand());
  bool together = isRegular(rmw) && facts->isSame && facts->hasCells;
  if (!together && (isUniform || (isRegular(rmw) && facts->whole >= MostDeferredWholes)))
    return false;
  Value *table = builder_.CreateLoad(
      builder_.getPtrTy(), e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, deferred)));
  together ? addTogether(rmw, table, size) : addByLane(rmw, table, size);
  return true;
}

/// To one address, or to neighbours.
void DeferredAtomics::addTogether(AtomicRMWInst &rmw, Value *table, int64_t size) {
  Value *pointer = rmw.getPointerOperand();
  Type *type = rmw.getType(), *i64 = builder_.getInt64Ty();
  bool uniform = e_.shapes.isUniform(pointer);
  static_assert(DeferredMore >= 1024, "as many cells beyond the last as a program has lanes");
  Function *keep = keepFunction(e_.module, rmw.getOperation(), type);
  Value *address = builder_.CreatePtrToInt(values_.scalar(pointer), i64);
  Value *number = cellNumber(builder_, address, size);
  Cell cell = cellAt(builder_, table, number, type);
  Value *operands = builder_.CreateSelect(masks_.active(), values_.vector(rmw.getValOperand()),
                                          values_.splat(nothing(type)));
  if (uniform)
    operands = sumOfLanes(builder_, operands);
  Type *tagType = uniform ? i64 : e_.vectorType(i64);
  Value *wanted = address;
  if (!uniform)
    wanted = builder_.CreateAdd(
        values_.splat(address),
        builder_.CreateMul(values_.laneNumbers(i64), values_.splat(ConstantInt::get(i64, size))));
  Value *differs =
      builder_.CreateICmpNE(builder_.CreateAlignedLoad(tagType, cell.address, Align(8)), wanted);
  BasicBlock *fast = e_.newBlock("kept");
  BasicBlock *slow = e_.newBlock("first");
  BasicBlock *done = e_.newBlock("add.done");
  builder_.CreateCondBr(uniform ? differs : masks_.any(masks_.activeWhere(differs)), slow, fast);

  builder_.SetInsertPoint(fast);
  Value *sum = builder_.CreateAlignedLoad(operands->getType(), cell.value, Align(size));
  builder_.CreateAlignedStore(sumOf(builder_, sum, operands), cell.value, Align(size));
  builder_.CreateBr(done);

  builder_.SetInsertPoint(slow);
  LaneValues::Local before = values_.save(); // what is made behind the branch is not there after it
  if (uniform) {
    builder_.CreateAtomicRMW(rmw.getOperation(), values_.scalar(pointer), operands, rmw.getAlign(),
                             rmw.getOrdering(), rmw.getSyncScopeID());
    builder_.CreateCall(keep, {table, number, address});
  } else {
    lanes_.emitLanesInTurn(rmw, nullptr);
    loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
      Value *wide = builder_.CreateZExt(lane, i64);
      Value *offset = builder_.CreateMul(wide, ConstantInt::get(i64, size));
      return builder_.CreateCall(
          keep, {table, builder_.CreateAdd(number, wide), builder_.CreateAdd(address, offset)});
    });
  }
  values_.restore(std::move(before));
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

/// What the runner has set for the launch.
Value *DeferredAtomics::launchField(Value *table, uint64_t offset) {
  LoadInst *load = builder_.CreateLoad(builder_.getInt64Ty(), fieldAt(builder_, table, offset));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
  return load;
}

/// How far the lanes' addresses are from the array in elements; far beyond it if they are no
/// element's.
Value *DeferredAtomics::elementNumbers(Value *pointers, Value *base, int64_t size) {
  Type *i64s = e_.vectorType(builder_.getInt64Ty());
  Value *bytes = builder_.CreateSub(builder_.CreatePtrToInt(pointers, i64s), values_.splat(base));
  Value *bits = values_.splat(builder_.getInt64(Log2_64(uint64_t(size))));
  return builder_.CreateIntrinsic(Intrinsic::fshr, {i64s}, {bytes, bytes, bits});
}

/// Lanes whose one index, as narrow as it was before it was extended, is of no element of the
/// array. `start`: bytes from the array's beginning to where the index counts from. Null if that
/// cannot be told from the index.
Value *DeferredAtomics::indicesOutside(const LaneAddress &pointer, Value *elements, Value *start,
                                       int64_t size) {
  if (!pointer.element || pointer.element->getNumIndices() != 1)
    return nullptr;
  const CastInst *extension = pointer.indices[0].extension;
  Value *index = extension ? extension->getOperand(0) : *pointer.element->idx_begin();
  bool isSigned = !extension || isa<SExtInst>(extension);
  Type *i64 = builder_.getInt64Ty(), *narrow = index->getType();
  Type *element = pointer.element->getSourceElementType();
  unsigned bits = narrow->getIntegerBitWidth();
  if (e_.sizeOf(element) != size || bits > 64)
    return nullptr;
  Value *first = builder_.CreateIntrinsic(
      Intrinsic::fshr, {i64}, {start, start, builder_.getInt64(Log2_64(uint64_t(size)))});
  Value *count = builder_.CreateBinaryIntrinsic(Intrinsic::usub_sat, elements, first);
  Value *most = ConstantInt::get(i64, APInt::getMaxValue(bits - isSigned).zext(64));
  Value *isNone = builder_.CreateIsNull(count);
  Value *last = builder_.CreateBinaryIntrinsic(
      Intrinsic::umin, builder_.CreateSub(count, builder_.getInt64(1)), most);
  Value *outside = builder_.CreateICmpUGT(values_.vector(index),
                                          values_.splat(builder_.CreateTrunc(last, narrow)));
  return builder_.CreateOr(outside, values_.splat(isNone));
}

/// Where all active lanes add to elements of the array that is kept as a whole. Leaves the builder
/// where that is not so; goes to `done` behind.
void DeferredAtomics::addToWhole(AtomicRMWInst &rmw, unsigned whole, Value *table, int64_t size,
                                 BasicBlock *done) {
  auto field = [&](uint64_t offset) {
    offset += offsetof(DeferredAdds, wholes) + whole * sizeof(DeferredWhole);
    return launchField(table, offset);
  };
  Type *i64 = builder_.getInt64Ty(), *i8 = builder_.getInt8Ty();
  Value *base = field(offsetof(DeferredWhole, base));
  Value *count = field(offsetof(DeferredWhole, elements)), *numbers = nullptr;
  LaneAddress pointer = lanes_.laneAddress(rmw.getPointerOperand());
  Value *start = pointer.element
                     ? builder_.CreateSub(builder_.CreatePtrToInt(pointer.base, i64), base)
                     : nullptr;
  Value *outside = indicesOutside(pointer, count, start, size);
  if (!outside) {
    numbers = elementNumbers(values_.vector(rmw.getPointerOperand()), base, size);
    outside = builder_.CreateICmpUGE(numbers, values_.splat(count));
  }
  BasicBlock *inside = e_.newBlock("whole"), *other = e_.newBlock("add.other");
  builder_.CreateCondBr(masks_.any(masks_.activeWhere(outside)), other, inside);
  LaneValues::Local before = values_.save(); // what is made behind the branch is not there after it
  builder_.SetInsertPoint(inside);
  builder_.CreateStore(builder_.getInt64(1),
                       fieldAt(builder_, table, offsetof(DeferredAdds, used)));
  Value *copy = builder_.CreateIntToPtr(field(offsetof(DeferredWhole, copy)), builder_.getPtrTy());
  if (!numbers) {
    pointer.base = builder_.CreateGEP(i8, copy, start);
    addInTurn(rmw, [&](Value *lane) { return lanes_.addressOfLane(pointer, lane); });
  } else if (isRegular(rmw)) {
    addToNeighbours(rmw, builder_.CreateGEP(rmw.getType(), copy,
                                            builder_.CreateExtractElement(numbers, uint64_t(0))));
  } else { // 32 bits are enough for a copy, and half of what the loop reads
    Value *places = builder_.CreateTrunc(numbers, e_.vectorType(builder_.getInt32Ty()));
    addInTurn(rmw, [&](Value *lane) {
      Value *place = builder_.CreateZExt(arrays_.extractLane(places, lane), i64);
      return builder_.CreateInBoundsGEP(rmw.getType(), copy, place);
    });
  }
  builder_.CreateBr(done);
  values_.restore(std::move(before));
  builder_.SetInsertPoint(other);
}

/// To elements of a copy from the first lane's on.
void DeferredAtomics::addToNeighbours(AtomicRMWInst &rmw, Value *first) {
  Type *type = e_.vectorType(rmw.getType());
  Align align(uint64_t(e_.sizeOf(rmw.getType())));
  Value *mask = masks_.active(), *sums = builder_.CreateMaskedLoad(type, first, align, mask);
  builder_.CreateMaskedStore(sumOf(builder_, sums, values_.vector(rmw.getValOperand())), first,
                             align, mask);
}

/// To the elements of a copy at the lanes' addresses.
void DeferredAtomics::addInTurn(AtomicRMWInst &rmw, function_ref<Value *(Value *)> addressOfLane) {
  Value *operands = values_.laneOperand(rmw.getValOperand());
  Align align(uint64_t(e_.sizeOf(rmw.getType())));
  loops_.forEachLane(
      nullptr,
      [&](Value *lane) -> Value * {
        Value *element = addressOfLane(lane);
        Value *sum = builder_.CreateAlignedLoad(rmw.getType(), element, align);
        builder_.CreateAlignedStore(sumOf(builder_, sum, arrays_.extractLane(operands, lane)),
                                    element, align);
        return nullptr;
      },
      LanesOfCells);
}

/// To each lane's cell. A lane that finds another address in its cell adds nothing to it, and is
/// noted: not 0 in the result.
Value *DeferredAtomics::addToCells(AtomicRMWInst &rmw, const LaneAddress &pointer, Value *operands,
                                   Value *table, int64_t size) {
  Type *type = rmw.getType(), *i64 = builder_.getInt64Ty(), *i8 = builder_.getInt8Ty();
  return loops_.forEachLane(
      e_.vectorType(i8),
      [&](Value *lane) -> Value * {
        Value *address = builder_.CreatePtrToInt(lanes_.addressOfLane(pointer, lane), i64);
        Cell cell = cellAt(builder_, table, cellNumber(builder_, address, size), type);
        Value *hit = builder_.CreateICmpEQ(builder_.CreateLoad(i64, cell.address), address);
        Value *added =
            builder_.CreateSelect(hit, arrays_.extractLane(operands, lane), nothing(type));
        Value *sum = builder_.CreateAlignedLoad(type, cell.value, Align(size));
        builder_.CreateAlignedStore(sumOf(builder_, sum, added), cell.value, Align(size));
        return builder_.CreateZExt(builder_.CreateNot(hit), i8);
      },
      LanesOfCells);
}

/// Cells go to the active lanes' addresses.
void DeferredAtomics::keepCells(AtomicRMWInst &rmw, const LaneAddress &pointer, Value *table,
                                int64_t size) {
  Function *keep = keepFunction(e_.module, rmw.getOperation(), rmw.getType());
  loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
    Value *address =
        builder_.CreatePtrToInt(lanes_.addressOfLane(pointer, lane), builder_.getInt64Ty());
    return builder_.CreateCall(keep, {table, cellNumber(builder_, address, size), address});
  });
}

/// To an address of its own for each lane.
void DeferredAtomics::addByLane(AtomicRMWInst &rmw, Value *table, int64_t size) {
  DeferredNote::Facts facts = *DeferredAddition.get(rmw);
  BasicBlock *done = e_.newBlock("add.done");
  if (facts.whole < MostDeferredWholes)
    addToWhole(rmw, facts.whole, table, size, done);
  LaneValues::Local before = values_.save(); // what is made behind the branches is not there after
  if (facts.hasCells && !isRegular(rmw))
    addToCellsOrMemory(rmw, table, size);
  else
    lanes_.emitLanesInTurn(rmw, nullptr);
  builder_.CreateBr(done);
  values_.restore(std::move(before));
  builder_.SetInsertPoint(done);
}

void DeferredAtomics::addToCellsOrMemory(AtomicRMWInst &rmw, Value *table, int64_t size) {
  LaneAddress pointer = lanes_.laneAddress(rmw.getPointerOperand());
  Value *operands = values_.laneOperand(rmw.getValOperand()), *mask = masks_.active();
  BasicBlock *cells = e_.newBlock("cells"), *misses = e_.newBlock("misses");
  BasicBlock *locked = e_.newBlock("locked"), *done = e_.newBlock("cells.done");
  LaneValues::Local before = values_.save();
  Value *evicted = builder_.CreateLoad(builder_.getInt64Ty(), evictions(builder_, table));
  builder_.CreateCondBr(builder_.CreateICmpULT(evicted, builder_.getInt64(DeferredEvictions)),
                        cells, locked);

  builder_.SetInsertPoint(cells);
  Value *missed = addToCells(rmw, pointer, operands, table, size);
  Value *rest = masks_.activeWhere(builder_.CreateIsNotNull(missed));
  builder_.CreateCondBr(masks_.any(rest), misses, done);

  builder_.SetInsertPoint(misses);
  masks_.setActive(rest);
  lanes_.emitLanesInTurn(rmw, nullptr);
  keepCells(rmw, pointer, table, size);
  masks_.setActive(mask);
  builder_.CreateBr(done);

  values_.restore(std::move(before));
  builder_.SetInsertPoint(locked);
  lanes_.emitLanesInTurn(rmw, nullptr);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

} // namespace heddle::simt
