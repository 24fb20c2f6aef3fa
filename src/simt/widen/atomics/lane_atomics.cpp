// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/atomics/lane_atomics.h"

#include "simt/widen/memory/shared_registers.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

static constexpr unsigned LanesInTurn = 8; ///< in the loop over all lanes

/// An affine address is counted from lane 0. An element of an array is taken by its narrow index:
/// the loop reads a byte where the index was one, not a pointer.
LaneAddress LaneAtomics::laneAddress(Value *pointer) {
  LaneAddress address;
  Shape shape = e_.shapes.of(pointer);
  if (shape.regular && shape.segment == e_.width) {
    address.base = values_.scalar(pointer);
    address.stride = shape.stride;
    return address;
  }
  auto *space = dyn_cast<AddrSpaceCastInst>(pointer);
  auto *gep = dyn_cast<GetElementPtrInst>(space ? space->getPointerOperand() : pointer);
  auto source = [&](Value *index) { // before it was extended
    auto *extension = dyn_cast<CastInst>(index);
    bool extends = extension && (isa<ZExtInst>(extension) || isa<SExtInst>(extension));
    return extends && values_.isAtHand(extension->getOperand(0)) &&
                   !e_.shapes.of(extension->getOperand(0)).regular
               ? extension->getOperand(0)
               : index;
  };
  if (gep && e_.shapes.isUniform(gep->getPointerOperand()) &&
      values_.isAtHand(gep->getPointerOperand()) &&
      all_of(gep->indices(), [&](Value *index) { return values_.isAtHand(source(index)); })) {
    address.element = gep;
    address.base = values_.scalar(gep->getPointerOperand());
    for (Value *index : gep->indices()) {
      Value *narrow = source(index);
      auto *extension = narrow == index ? nullptr : cast<CastInst>(index);
      address.indices.push_back({values_.laneOperand(narrow), extension});
    }
    return address;
  }
  address.base = values_.laneOperand(pointer);
  return address;
}

Value *LaneAtomics::addressOfLane(const LaneAddress &address, Value *lane) {
  if (address.element) {
    SmallVector<Value *, 4> indices;
    for (auto [value, extension] : address.indices) {
      Value *one = arrays_.extractLane(value, lane);
      indices.push_back(
          extension ? builder_.CreateCast(extension->getOpcode(), one, extension->getType()) : one);
    }
    return builder_.CreateGEP(address.element->getSourceElementType(), address.base, indices);
  }
  if (!address.stride)
    return arrays_.extractLane(address.base, lane);
  Value *offset = builder_.CreateMul(builder_.CreateZExt(lane, builder_.getInt64Ty()),
                                     ConstantInt::getSigned(builder_.getInt64Ty(), address.stride));
  return builder_.CreateGEP(builder_.getInt8Ty(), address.base, offset);
}

Value *LaneAtomics::emitLanesInTurn(Instruction &instruction, Type *resultType) {
  Value *address = instruction.getOperand(0);
  bool shared = isShared(e_, address), isCas = isa<AtomicCmpXchgInst>(instruction);
  LaneAddress pointer = laneAddress(address);
  SmallVector<Value *, 3> operands;
  for (Value *operand : drop_begin(instruction.operands()))
    operands.push_back(values_.laneOperand(operand));
  auto one = [&](Value *lane) -> Value * {
    auto *copy = instruction.clone();
    copy->setOperand(0, addressOfLane(pointer, lane));
    for (auto [i, operand] : enumerate(operands))
      copy->setOperand(i + 1, arrays_.extractLane(operand, lane));
    builder_.Insert(copy);
    if (!shared)
      return isCas && e_.width > 1 ? builder_.CreateExtractValue(copy, 0) : copy;
    // The plain form replaces the copy; a marker after it keeps its result findable.
    auto *marker = cast<FreezeInst>(builder_.CreateFreeze(copy));
    if (auto *one = dyn_cast<AtomicRMWInst>(copy))
      lowerAtomicRMWInst(one);
    else
      lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(copy));
    return isCas && e_.width > 1 ? builder_.CreateExtractValue(marker, 0) : marker;
  };
  return loops_.forEachLane(resultType, one, isCas ? 1 : LanesInTurn);
}

} // namespace heddle::simt
