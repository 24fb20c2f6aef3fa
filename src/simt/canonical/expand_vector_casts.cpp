// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/expand_vector_casts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

unsigned countOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

bool isRegular(BitCastInst &cast) {
  Type *from = cast.getSrcTy(), *to = cast.getDestTy();
  const unsigned fromBits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
  return (from->isVectorTy() || to->isVectorTy()) && fromBits != toBits && fromBits && toBits &&
         (fromBits % toBits == 0 || toBits % fromBits == 0);
}

/// Each element as an integer.
SmallVector<Value *> integersOf(IRBuilder<> &builder, Value *value) {
  SmallVector<Value *> elements;
  Type *integer = builder.getIntNTy(value->getType()->getScalarSizeInBits());
  for (unsigned i = 0; i != countOf(value->getType()); ++i) {
    Value *element =
        value->getType()->isVectorTy() ? builder.CreateExtractElement(value, i) : value;
    elements.push_back(builder.CreateBitCast(element, integer));
  }
  return elements;
}

SmallVector<Value *> split(IRBuilder<> &builder, ArrayRef<Value *> elements, unsigned bits) {
  SmallVector<Value *> parts;
  for (Value *element : elements)
    for (unsigned at = 0; at != element->getType()->getIntegerBitWidth(); at += bits)
      parts.push_back(
          builder.CreateTrunc(builder.CreateLShr(element, at), builder.getIntNTy(bits)));
  return parts;
}

SmallVector<Value *> join(IRBuilder<> &builder, ArrayRef<Value *> elements, unsigned bits) {
  SmallVector<Value *> wholes;
  const unsigned partBits = elements[0]->getType()->getIntegerBitWidth();
  for (size_t first = 0; first != elements.size(); first += bits / partBits) {
    Value *whole = nullptr;
    for (unsigned i = 0; i != bits / partBits; ++i) {
      Value *part = builder.CreateZExt(elements[first + i], builder.getIntNTy(bits));
      part = builder.CreateShl(part, i * partBits);
      whole = whole ? builder.CreateOr(whole, part) : part;
    }
    wholes.push_back(whole);
  }
  return wholes;
}

void expand(BitCastInst &cast) {
  IRBuilder<> builder(&cast);
  Type *to = cast.getDestTy();
  const unsigned bits = to->getScalarSizeInBits();
  SmallVector<Value *> elements = integersOf(builder, cast.getOperand(0));
  elements = cast.getSrcTy()->getScalarSizeInBits() > bits ? split(builder, elements, bits)
                                                           : join(builder, elements, bits);
  Value *result = to->isVectorTy() ? PoisonValue::get(to) : nullptr;
  for (unsigned i = 0; i != elements.size(); ++i) {
    Value *element = builder.CreateBitCast(elements[i], to->getScalarType());
    result = result ? builder.CreateInsertElement(result, element, i) : element;
  }
  cast.replaceAllUsesWith(result);
  cast.eraseFromParent();
}

} // namespace

void expandVectorCasts(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *cast = dyn_cast<BitCastInst>(&instruction); cast && isRegular(*cast))
      expand(*cast);
}

} // namespace heddle::simt
