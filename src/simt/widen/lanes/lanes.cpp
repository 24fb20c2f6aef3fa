// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/lanes/lanes.h"

#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace heddle::simt {

Value *slice(IRBuilder<> &builder, Value *vector, unsigned first, unsigned count) {
  if (count == cast<FixedVectorType>(vector->getType())->getNumElements())
    return vector;
  return builder.CreateShuffleVector(vector, createSequentialMask(first, count, 0));
}

Value *concatenate(IRBuilder<> &builder, ArrayRef<Value *> vectors) {
  return vectors.size() == 1 ? vectors[0] : concatenateVectors(builder, vectors);
}

Value *mapMembers(IRBuilder<> &builder, Value *aggregate, function_ref<Value *(Value *)> function) {
  Type *type = aggregate->getType();
  unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  SmallVector<Value *, 4> members;
  SmallVector<Type *, 4> types;
  for (unsigned i = 0; i < count; ++i) {
    members.push_back(function(builder.CreateExtractValue(aggregate, i)));
    types.push_back(members.back()->getType());
  }
  Type *mapped = type->isStructTy()
                     ? static_cast<Type *>(StructType::get(type->getContext(), types))
                     : ArrayType::get(types[0], count);
  Value *result = PoisonValue::get(mapped);
  for (unsigned i = 0; i < count; ++i)
    result = builder.CreateInsertValue(result, members[i], i);
  return result;
}

} // namespace heddle::simt
