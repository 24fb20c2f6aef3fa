// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/memory_space.h"

#include "simt/lower/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

bool isBlockMemory(const Value *pointer, const Function &thread) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [&](const Value *object) {
    return object == thread.getArg(ParamShared) || isa<AllocaInst>(object);
  });
}

bool findPlainAccesses(Value &pointer, bool andAtomics, SmallVectorImpl<Instruction *> &accesses) {
  for (User *user : pointer.users()) {
    auto *instruction = dyn_cast<Instruction>(user);
    auto *rmw = dyn_cast_or_null<AtomicRMWInst>(instruction);
    auto *store = dyn_cast_or_null<StoreInst>(instruction);
    if (isa_and_nonnull<GetElementPtrInst, AddrSpaceCastInst>(instruction)) {
      if (instruction->getOperand(0) != &pointer ||
          !findPlainAccesses(*instruction, andAtomics, accesses))
        return false;
    } else if (rmw && andAtomics && rmw->getValOperand() != &pointer) {
      accesses.push_back(rmw);
    } else if (instruction && getLoadStorePointerOperand(instruction) == &pointer &&
               (!store || store->getValueOperand() != &pointer) && !instruction->isVolatile() &&
               !instruction->isAtomic()) {
      accesses.push_back(instruction);
    } else {
      return false;
    }
  }
  return true;
}

bool isGivenMemory(const Value *pointer) {
  return isa<LoadInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

} // namespace heddle::simt
