// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of warp programs. A value is kept, and computed, in the lanes that its shape says the
// others follow from: a uniform or affine value is one scalar and a scalar instruction; what
// changes from row to row of a 2D block is a short vector, one element a row; what repeats from row
// to row is a vector of one row; the rest has an element for each lane. Where an instruction needs
// a value in other lanes than these, `at` makes it: a shuffle of what is kept and the addition of
// constants. Later passes share these and move them out of loops.
#include "simt/widen/widener.h"

#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

Type *Widener::scalarType(Type *type) const {
  if (type->isPointerTy())
    return PointerType::get(type->getContext(), 0);
  return type;
}

Type *Widener::vectorType(Type *type, unsigned count) const {
  if (count == 1 || type->isVoidTy())
    return scalarType(type);
  if (auto *structure = dyn_cast<StructType>(type)) {
    SmallVector<Type *, 4> elements;
    for (Type *element : structure->elements())
      elements.push_back(vectorType(element, count));
    return StructType::get(type->getContext(), elements);
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(vectorType(array->getElementType(), count), array->getNumElements());
  return FixedVectorType::get(scalarType(type), count);
}

AllocaInst *Widener::newSlot(Type *type, const Twine &name) {
  auto *slot = new AllocaInst(type, 0, nullptr, name, allocaPoint_->getIterator());
  promotable_.push_back(slot);
  return slot;
}

Value *Widener::laneNumbers(Type *element, Lanes lanes) {
  if (lanes.count == 1)
    return ConstantInt::get(element, 0);
  SmallVector<Constant *, 32> numbers;
  for (unsigned i = 0; i < lanes.count; ++i)
    numbers.push_back(ConstantInt::get(element, i * lanes.step));
  return ConstantVector::get(numbers);
}

Value *Widener::splat(Value *value, unsigned count) {
  if (count == 1)
    return value;
  Type *type = value->getType();
  if (!type->isStructTy() && !type->isArrayTy()) {
    if (auto *constant = dyn_cast<Constant>(value); constant && !isa<ConstantExpr>(constant))
      return ConstantVector::getSplat(ElementCount::getFixed(count), constant);
    return builder_.CreateVectorSplat(count, value);
  }
  Value *result = PoisonValue::get(vectorType(type, count));
  unsigned members =
      type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < members; ++i)
    result =
        builder_.CreateInsertValue(result, splat(builder_.CreateExtractValue(value, i), count), i);
  return result;
}

/// Elements `picks` of a vector, or of each vector in an aggregate.
Value *Widener::pick(Value *value, ArrayRef<int> picks) {
  Type *type = value->getType();
  if (!type->isStructTy() && !type->isArrayTy())
    return builder_.CreateShuffleVector(value, picks);
  SmallVector<Value *, 4> members;
  unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  SmallVector<Type *, 4> types;
  for (unsigned i = 0; i < count; ++i) {
    members.push_back(pick(builder_.CreateExtractValue(value, i), picks));
    types.push_back(members.back()->getType());
  }
  Type *picked = type->isStructTy()
                     ? static_cast<Type *>(StructType::get(type->getContext(), types))
                     : ArrayType::get(types[0], count);
  Value *result = PoisonValue::get(picked);
  for (unsigned i = 0; i < count; ++i)
    result = builder_.CreateInsertValue(result, members[i], i);
  return result;
}

/// Pointers of all address spaces become plain ones; null and undefined ones are the only constants
/// left of them.
Value *Widener::constantFor(Constant *constant, unsigned count) {
  Constant *value = constant;
  if (auto *pointer = dyn_cast<PointerType>(constant->getType());
      pointer && pointer->getAddressSpace() != 0) {
    Type *plain = scalarType(pointer);
    value = isa<PoisonValue>(constant)  ? PoisonValue::get(plain)
            : isa<UndefValue>(constant) ? UndefValue::get(plain)
                                        : ConstantExpr::getAddrSpaceCast(constant, plain);
    if (constant->isNullValue())
      value = Constant::getNullValue(plain);
  }
  return splat(value, count);
}

Value *Widener::fetch(Value *value) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, 1);
  if (auto *argument = dyn_cast<Argument>(value))
    return warp_.getArg(argument->getArgNo() + (argument->getArgNo() >= ContextParams ? 1 : 0));
  if (Value *here = local_.lookup(value))
    return here;
  AllocaInst *slot = slots_.lookup(value);
  assert(slot && "a value is used before its block in the order");
  Value *loaded = builder_.CreateLoad(slot->getAllocatedType(), slot, value->getName());
  local_[value] = loaded;
  return loaded;
}

Lanes Widener::lanesOf(const Value *value) const {
  Shape shape = shapes_.of(value);
  return {shape.segment, shape.parts()};
}

Value *Widener::at(Value *value, Lanes lanes) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, lanes.count);
  Value *kept = fetch(value);
  if (width_ == 1)
    return kept;
  Shape shape = shapes_.of(value);
  unsigned parts = shape.parts();
  if (lanes.count == 1)
    return parts == 1 ? kept : extractLane(kept, builder_.getInt32(0));
  if (parts == lanes.count && shape.segment == lanes.step)
    return kept;
  Value *&cached = localVectors_[{value, keyOf(lanes)}];
  if (cached)
    return cached;
  SmallVector<int, 32> picks;
  SmallVector<int64_t, 32> offsets;
  for (unsigned i = 0; i < lanes.count; ++i) {
    picks.push_back(shape.part(i * lanes.step));
    offsets.push_back(shape.offset(i * lanes.step));
  }
  Value *result = parts == 1 ? splat(kept, lanes.count) : pick(kept, picks);
  if (any_of(offsets, [](int64_t offset) { return offset != 0; }))
    result =
        addOffsets(result, offsets, shape.cannotCarry(value->getType()->getScalarSizeInBits()));
  // The map may have grown meanwhile.
  return localVectors_[{value, keyOf(lanes)}] = result;
}

/// A vector of integers or pointers plus a constant in each element, which may not carry.
Value *Widener::addOffsets(Value *vector, ArrayRef<int64_t> offsets, bool cannotCarry) {
  Type *element = cast<VectorType>(vector->getType())->getElementType();
  bool pointers = element->isPointerTy();
  Type *type = pointers ? builder_.getInt64Ty() : element;
  unsigned bits = type->getIntegerBitWidth();
  SmallVector<Constant *, 32> constants;
  for (int64_t offset : offsets)
    constants.push_back(ConstantInt::get(type, APInt(bits, offset, true, true)));
  Constant *added = ConstantVector::get(constants);
  return pointers ? builder_.CreateGEP(builder_.getInt8Ty(), vector, added)
                  : builder_.CreateAdd(vector, added, "", cannotCarry, cannotCarry);
}

/// A pointer in one lane, the first of a segment.
Value *Widener::pointerAt(Value *address, unsigned lane) {
  Shape shape = shapes_.of(address);
  Value *kept = fetch(address);
  if (!shape.regular)
    kept = builder_.CreateExtractElement(kept, shape.part(lane));
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), kept, shape.offset(lane));
}

/// Records the kept form of an instruction, in a slot too if another block needs it.
/// In another block, where what is cheap may be made again too (widen_serialized.cpp).
static bool isUsedElsewhere(const Instruction &instruction, unsigned depth = 6) {
  return any_of(instruction.users(), [&](const User *user) {
    auto *use = cast<Instruction>(user);
    return use->getParent() != instruction.getParent() || isa<PHINode>(use) ||
           (depth > 0 &&
            isa<GetElementPtrInst, CastInst, BinaryOperator, CmpInst, SelectInst>(use) &&
            isUsedElsewhere(*use, depth - 1));
  });
}

void Widener::define(Instruction &instruction, Value *value) {
  if (instruction.getType()->isVoidTy() || !value)
    return;
  local_[&instruction] = value;
  if (!isUsedElsewhere(instruction))
    return;
  if (AllocaInst *array = resultArrayOf(value)) {
    slots_[&instruction] = array;
    return;
  }
  AllocaInst *slot = newSlot(value->getType(), instruction.getName() + ".slot");
  builder_.CreateStore(value, slot);
  slots_[&instruction] = slot;
}

Error Widener::emitInstruction(Instruction &instruction) {
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    AllocaInst *slot = phiSlots_[phi];
    define(*phi, builder_.CreateLoad(slot->getAllocatedType(), slot, phi->getName()));
    return Error::success();
  }
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return emitLoad(*load);
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return emitStore(*store);
  if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
    return emitAlloca(*alloca);
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return emitAtomic(instruction);
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return emitCall(*call);
  if (isa<FenceInst>(instruction)) {
    builder_.Insert(instruction.clone());
    return Error::success();
  }
  Value *value = emitElementwise(instruction, lanesOf(&instruction));
  if (!value)
    return errorAt(instruction,
                   Twine("'") + instruction.getOpcodeName() + "' is not supported in device code");
  define(instruction, value);
  return Error::success();
}

/// Inactive lanes divide by one: theirs may be poison, whatever is known of the program's own
/// divisor.
Value *Widener::divisor(BinaryOperator &division, Lanes lanes) {
  Value *value = at(division.getOperand(1), lanes);
  if (lanes.count == 1 || isa<Constant>(value))
    return value;
  return builder_.CreateSelect(maskAt(lanes), value, ConstantInt::get(value->getType(), 1));
}

/// The same instruction on scalars or vectors. Flags that make poison go where one lane stands for
/// others with other values: it may be inactive.
Value *Widener::emitElementwise(Instruction &instruction, Lanes lanes) {
  auto operand = [&](unsigned i) { return at(instruction.getOperand(i), lanes); };
  Type *type = vectorType(instruction.getType(), lanes.count);
  Value *result = nullptr;
  Shape shape = shapes_.of(&instruction);
  bool counts = shape.stride != 0 || shape.step != 0 || columnAddresses_.contains(&instruction);
  auto *bits = dyn_cast<PossiblyDisjointInst>(&instruction);
  if (counts && bits && bits->isDisjoint()) // perhaps not in the lane that stands for others
    result = builder_.CreateAdd(operand(0), operand(1));
  else if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    result = builder_.CreateBinOp(binary->getOpcode(), operand(0),
                                  binary->isIntDivRem() ? divisor(*binary, lanes) : operand(1));
  else if (auto *unary = dyn_cast<UnaryOperator>(&instruction))
    result = builder_.CreateUnOp(unary->getOpcode(), operand(0));
  else if (auto *cast = dyn_cast<CastInst>(&instruction))
    result = isa<AddrSpaceCastInst>(cast)
                 ? operand(0)
                 : builder_.CreateCast(cast->getOpcode(), operand(0), type);
  else if (auto *compare = dyn_cast<CmpInst>(&instruction))
    result = builder_.CreateCmp(compare->getPredicate(), operand(0), operand(1));
  else if (isa<SelectInst>(instruction)) {
    Value *condition = shapes_.isUniform(instruction.getOperand(0))
                           ? scalar(instruction.getOperand(0))
                           : operand(0);
    result = builder_.CreateSelect(condition, operand(1), operand(2));
  } else if (isa<FreezeInst>(instruction))
    result = builder_.CreateFreeze(operand(0));
  else if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
    result = builder_.CreateExtractValue(operand(0), extract->getIndices());
  else if (auto *insert = dyn_cast<InsertValueInst>(&instruction))
    result = builder_.CreateInsertValue(operand(0), operand(1), insert->getIndices());
  else if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction)) {
    auto part = [&](Value *v) { // a vector GEP takes uniform operands as scalars
      return shapes_.isUniform(v) ? scalar(v) : at(v, lanes);
    };
    SmallVector<Value *, 4> indices;
    for (Value *index : gep->indices())
      indices.push_back(part(index));
    result =
        builder_.CreateGEP(gep->getSourceElementType(), part(gep->getPointerOperand()), indices);
    if (lanes.count > 1 && !result->getType()->isVectorTy())
      result = splat(result, lanes.count);
  }
  auto *fresh = dyn_cast_or_null<Instruction>(result);
  if (fresh && fresh->getOpcode() == instruction.getOpcode() && !isa<GetElementPtrInst>(fresh)) {
    fresh->copyIRFlags(&instruction);
    if (counts)
      fresh->dropPoisonGeneratingFlags();
  }
  return result;
}

} // namespace heddle::simt
