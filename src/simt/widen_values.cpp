// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of warp programs. A value whose shape is one segment (uniform or affine) is kept as one
// scalar, its value in lane 0, and computed by the same scalar instruction; all others are kept as
// vectors. A vector of an affine value is made where one is needed: splat(scalar) + stride * <0, 1,
// 2, ...>. Later passes share these and move them out of loops.
#include "simt/widener.h"

#include "simt/lower_nvvm.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

Type *Widener::scalarType(Type *type) const {
  if (type->isPointerTy())
    return PointerType::get(type->getContext(), 0);
  return type;
}

Type *Widener::vectorType(Type *type) const {
  if (width_ == 1 || type->isVoidTy())
    return scalarType(type);
  if (auto *structure = dyn_cast<StructType>(type)) {
    SmallVector<Type *, 4> elements;
    for (Type *element : structure->elements())
      elements.push_back(vectorType(element));
    return StructType::get(type->getContext(), elements);
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(vectorType(array->getElementType()), array->getNumElements());
  return FixedVectorType::get(scalarType(type), width_);
}

AllocaInst *Widener::newSlot(Type *type, const Twine &name) {
  auto *slot = new AllocaInst(type, 0, nullptr, name, allocaPoint_->getIterator());
  promotable_.push_back(slot);
  return slot;
}

Value *Widener::laneNumbers(Type *element) {
  SmallVector<Constant *, 32> lanes;
  for (unsigned lane = 0; lane < width_; ++lane)
    lanes.push_back(ConstantInt::get(element, lane));
  return ConstantVector::get(lanes);
}

Value *Widener::splat(Value *value) {
  if (width_ == 1)
    return value;
  Type *type = value->getType();
  if (!type->isStructTy() && !type->isArrayTy()) {
    if (auto *constant = dyn_cast<Constant>(value); constant && !isa<ConstantExpr>(constant))
      return ConstantVector::getSplat(ElementCount::getFixed(width_), constant);
    return builder_.CreateVectorSplat(width_, value);
  }
  Value *result = PoisonValue::get(vectorType(type));
  unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < count; ++i)
    result = builder_.CreateInsertValue(result, splat(builder_.CreateExtractValue(value, i)), i);
  return result;
}

/// Pointers of all address spaces become plain ones; null and undefined ones are the only constants
/// left of them.
Value *Widener::constantFor(Constant *constant, bool asScalar) {
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
  return asScalar ? value : splat(value);
}

Value *Widener::fetch(Value *value) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, true);
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

Value *Widener::scalar(Value *value) {
  Value *kept = fetch(value);
  if (shapes_.isScalar(value) || width_ == 1)
    return kept;
  return extractLane(kept, builder_.getInt32(0));
}

Value *Widener::vector(Value *value) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, false);
  Value *kept = fetch(value);
  if (!shapes_.isScalar(value) || width_ == 1)
    return kept;
  Value *&cached = localVectors_[value];
  if (cached)
    return cached;
  Shape shape = shapes_.of(value);
  Value *result = nullptr;
  if (shape.stride == 0) {
    result = splat(kept);
  } else if (kept->getType()->isPointerTy()) {
    Type *i64 = builder_.getInt64Ty();
    Value *offsets =
        builder_.CreateMul(laneNumbers(i64), splat(ConstantInt::getSigned(i64, shape.stride)));
    result = builder_.CreateGEP(builder_.getInt8Ty(), kept, offsets);
  } else {
    Type *type = kept->getType();
    Value *steps =
        ConstantInt::get(type, APInt(type->getIntegerBitWidth(), shape.stride, true, true));
    result = builder_.CreateAdd(splat(kept), builder_.CreateMul(laneNumbers(type), splat(steps)));
  }
  localVectors_[value] = result;
  return result;
}

/// Records the kept form of an instruction, in a slot too if another block needs it.
void Widener::define(Instruction &instruction, Value *value) {
  if (instruction.getType()->isVoidTy() || !value)
    return;
  local_[&instruction] = value;
  bool escapes = any_of(instruction.users(), [&](User *user) {
    auto *use = cast<Instruction>(user);
    return use->getParent() != instruction.getParent() || isa<PHINode>(use);
  });
  if (!escapes)
    return;
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
  Value *value = emitElementwise(instruction, shapes_.isScalar(&instruction));
  if (!value)
    return errorAt(instruction,
                   Twine("'") + instruction.getOpcodeName() + "' is not supported in device code");
  define(instruction, value);
  return Error::success();
}

/// An extension. Where lanes are counted from the first one and it might wrap around to a small
/// number in the lanes after it, the first is the number before that small one, read as signed:
/// lane 0 of `i - 1` is -1 and not 2^32 - 1.
Value *Widener::emitExtension(CastInst &cast, Value *operand, Type *type) {
  Shape from = shapes_.of(cast.getOperand(0));
  unsigned bits = cast.getSrcTy()->getScalarSizeInBits();
  bool counts = shapes_.of(&cast).segment > 1 && from.stride != 0 && !from.cannotCarry(bits);
  if (cast.getOpcode() != Instruction::ZExt || !counts || from.stride < 0)
    return builder_.CreateCast(cast.getOpcode(), operand, type);
  Value *asSigned = builder_.CreateSExt(operand, type);
  if (cast.hasNonNeg())
    return asSigned;
  APInt last = APInt::getMaxValue(bits) - APInt(bits, from.stride * (from.segment - 1));
  Value *wraps = builder_.CreateICmpUGT(operand, ConstantInt::get(operand->getType(), last));
  return builder_.CreateSelect(wraps, asSigned, builder_.CreateZExt(operand, type));
}

/// Inactive lanes divide by one: theirs may be poison, whatever is known of the program's own
/// divisor.
Value *Widener::divisor(BinaryOperator &division, bool asScalar) {
  Value *value = operandOf(division.getOperand(1), asScalar);
  if (asScalar || width_ == 1 || isa<Constant>(value))
    return value;
  return builder_.CreateSelect(mask_, value, ConstantInt::get(value->getType(), 1));
}

/// The same instruction on scalars or vectors. Flags that make poison go where lane 0 stands for
/// others: it may be inactive.
Value *Widener::emitElementwise(Instruction &instruction, bool asScalar) {
  auto operand = [&](unsigned i) { return operandOf(instruction.getOperand(i), asScalar); };
  Type *type = asScalar ? scalarType(instruction.getType()) : vectorType(instruction.getType());
  Value *result = nullptr;
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    result = builder_.CreateBinOp(binary->getOpcode(), operand(0),
                                  binary->isIntDivRem() ? divisor(*binary, asScalar) : operand(1));
  else if (auto *unary = dyn_cast<UnaryOperator>(&instruction))
    result = builder_.CreateUnOp(unary->getOpcode(), operand(0));
  else if (auto *cast = dyn_cast<CastInst>(&instruction))
    result = isa<AddrSpaceCastInst>(cast) ? operand(0)
             : isa<SExtInst>(cast) || isa<ZExtInst>(cast)
                 ? emitExtension(*cast, operand(0), type)
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
    SmallVector<Value *, 4> indices;
    for (Value *index : gep->indices()) // a vector GEP takes uniform operands as scalars
      indices.push_back(shapes_.isUniform(index) ? scalar(index) : operandOf(index, asScalar));
    Value *base = gep->getPointerOperand();
    Value *pointer = shapes_.isUniform(base) ? scalar(base) : operandOf(base, asScalar);
    result = builder_.CreateGEP(gep->getSourceElementType(), pointer, indices);
    if (!asScalar && width_ > 1 && !result->getType()->isVectorTy())
      result = splat(result);
  }
  auto *fresh = dyn_cast_or_null<Instruction>(result);
  if (fresh && fresh->getOpcode() == instruction.getOpcode() && !isa<GetElementPtrInst>(fresh)) {
    fresh->copyIRFlags(&instruction);
    Shape shape = shapes_.of(&instruction);
    if (shape.segment > 1 && shape.stride != 0)
      fresh->dropPoisonGeneratingFlags();
  }
  return result;
}

} // namespace heddle::simt
