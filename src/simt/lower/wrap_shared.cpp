// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/wrap_shared.h"

#include "simt/lower/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

void wrapSharedAddresses(Function &thread) {
  for (Instruction &instruction : instructions(thread)) {
    auto *address = dyn_cast<GetElementPtrInst>(&instruction);
    if (!address || getUnderlyingObject(address, /*MaxLookup=*/0) != thread.getArg(ParamShared))
      continue;
    for (Use &index : address->indices()) {
      auto *wide = dyn_cast<ZExtInst>(index);
      Value *narrow = wide ? wide->getOperand(0) : nullptr;
      if (!wide || wide->hasNonNeg() || !narrow->getType()->isIntegerTy(32) ||
          isKnownNonNegative(narrow, SimplifyQuery(thread.getDataLayout(), wide)))
        continue;
      index.set(IRBuilder<>(address).CreateSExt(narrow, wide->getType()));
      address->setNoWrapFlags(GEPNoWrapFlags::none());
    }
  }
}

} // namespace heddle::simt
