// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/memory_space.h"

#include "simt/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace heddle::simt {

bool isBlockMemory(const Value *pointer, const Function &thread) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [&](const Value *object) {
    return object == thread.getArg(ParamShared) || isa<AllocaInst>(object);
  });
}

bool isGivenMemory(const Value *pointer) {
  return isa<LoadInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

} // namespace heddle::simt
