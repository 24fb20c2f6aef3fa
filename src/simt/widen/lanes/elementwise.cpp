// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/lanes/elementwise.h"

#include "simt/form/columns.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

Elementwise::Elementwise(Emitter &emitter, Masks &masks, LaneValues &values)
    : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values),
      columnAddresses_(addressesOfColumns(emitter.thread, emitter.shapes, emitter.options)) {}

/// Inactive lanes divide by one: theirs may be poison, whatever is known of the program's own
/// divisor. One that all lanes have is kept as one number: they divide by it if one is active.
Value *Elementwise::divisor(BinaryOperator &division, Lanes lanes) {
  Value *of = division.getOperand(1);
  if (lanes.count > 1 && !isa<Constant>(of) && e_.shapes.isUniform(of)) {
    Value *one = ConstantInt::get(of->getType(), 1), *any = masks_.any(masks_.active());
    return values_.splat(builder_.CreateSelect(any, values_.scalar(of), one), lanes.count);
  }
  Value *value = values_.at(of, lanes);
  if (lanes.count == 1 || isa<Constant>(value))
    return value;
  return builder_.CreateSelect(masks_.activeIn(lanes), value,
                               ConstantInt::get(value->getType(), 1));
}

/// A vector of addresses takes uniform operands as scalars.
Value *Elementwise::emitAddress(GetElementPtrInst &gep, Lanes lanes) {
  auto part = [&](Value *v) {
    return e_.shapes.isUniform(v) ? values_.scalar(v) : values_.at(v, lanes);
  };
  SmallVector<Value *, 4> indices;
  for (Value *index : gep.indices())
    indices.push_back(part(index));
  Value *result =
      builder_.CreateGEP(gep.getSourceElementType(), part(gep.getPointerOperand()), indices);
  return lanes.count > 1 && !result->getType()->isVectorTy() ? values_.splat(result, lanes.count)
                                                             : result;
}

Value *Elementwise::emitPlain(Instruction &instruction, Lanes lanes) {
  auto operand = [&](unsigned i) { return values_.at(instruction.getOperand(i), lanes); };
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return builder_.CreateBinOp(binary->getOpcode(), operand(0),
                                binary->isIntDivRem() ? divisor(*binary, lanes) : operand(1));
  if (auto *unary = dyn_cast<UnaryOperator>(&instruction))
    return builder_.CreateUnOp(unary->getOpcode(), operand(0));
  if (isa<AddrSpaceCastInst>(instruction))
    return operand(0);
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return builder_.CreateCast(cast->getOpcode(), operand(0),
                               e_.vectorType(instruction.getType(), lanes.count));
  if (auto *compare = dyn_cast<CmpInst>(&instruction))
    return builder_.CreateCmp(compare->getPredicate(), operand(0), operand(1));
  if (isa<SelectInst>(instruction)) {
    Value *condition = e_.shapes.isUniform(instruction.getOperand(0))
                           ? values_.scalar(instruction.getOperand(0))
                           : operand(0);
    return builder_.CreateSelect(condition, operand(1), operand(2));
  }
  if (isa<FreezeInst>(instruction))
    return builder_.CreateFreeze(operand(0));
  if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
    return builder_.CreateExtractValue(operand(0), extract->getIndices());
  if (auto *insert = dyn_cast<InsertValueInst>(&instruction))
    return builder_.CreateInsertValue(operand(0), operand(1), insert->getIndices());
  if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    return emitAddress(*gep, lanes);
  return lanes.count == 1 ? emitOfVector(instruction) : nullptr;
}

/// One lane's own vectors, which it keeps in programs of one lane (canonical/normalize.h).
Value *Elementwise::emitOfVector(Instruction &instruction) {
  auto operand = [&](unsigned i) { return values_.scalar(instruction.getOperand(i)); };
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    return builder_.CreateShuffleVector(operand(0), operand(1), shuffle->getShuffleMask());
  if (isa<ExtractElementInst>(instruction))
    return builder_.CreateExtractElement(operand(0), operand(1));
  if (isa<InsertElementInst>(instruction))
    return builder_.CreateInsertElement(operand(0), operand(1), operand(2));
  return nullptr;
}

/// Flags that make poison go where one lane stands for others with other values: it may be
/// inactive.
Value *Elementwise::emit(Instruction &instruction) {
  Lanes lanes = values_.lanesOf(&instruction);
  Shape shape = e_.shapes.of(&instruction);
  bool counts = shape.stride != 0 || shape.step != 0 || columnAddresses_.contains(&instruction);
  auto *bits = dyn_cast<PossiblyDisjointInst>(&instruction);
  bool isSum =
      counts && bits && bits->isDisjoint(); // perhaps not in the lane that stands for others
  auto operand = [&](unsigned i) { return values_.at(instruction.getOperand(i), lanes); };
  Value *result =
      isSum ? builder_.CreateAdd(operand(0), operand(1)) : emitPlain(instruction, lanes);
  auto *fresh = dyn_cast_or_null<Instruction>(result);
  if (fresh && fresh->getOpcode() == instruction.getOpcode() && !isa<GetElementPtrInst>(fresh)) {
    fresh->copyIRFlags(&instruction);
    if (counts)
      fresh->dropPoisonGeneratingFlags();
  }
  return result;
}

} // namespace heddle::simt
