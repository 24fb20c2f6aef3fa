// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that will be in registers is accessed by vectors, and not lane by lane.
#include "simt/widen/memory/shared_registers.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

bool isShared(const Emitter &emitter, Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects,
                [&](const Value *object) { return object == emitter.thread.getArg(ParamShared); });
}

/// The program holds the block and accesses shared memory at places only that are known for each
/// lane: it will be in registers (promote_shared.cpp), if vectors access it.
bool SharedRegisters::mayBePromoted() {
  unsigned threads = e_.options.threads();
  if (e_.width < std::max(threads, 32u) || !e_.options.isEnabled("promote-shared"))
    return false;
  SmallVector<Value *, 32> addresses = {e_.thread.getArg(ParamShared)};
  for (unsigned i = 0; i < addresses.size(); ++i)
    for (User *user : addresses[i]->users()) {
      auto *gep = dyn_cast<GetElementPtrInst>(user);
      bool isAddress = isa<AddrSpaceCastInst>(user) ||
                       (gep && all_of(gep->indices(),
                                      [&](Value *index) { return facts_.subsets.isKnown(index); }));
      if (isAddress)
        addresses.push_back(user);
      else if (getLoadStorePointerOperand(user) != addresses[i])
        return false;
    }
  return true;
}

bool SharedRegisters::isPromoted(Instruction &access) {
  const Value *object = getUnderlyingObject(getLoadStorePointerOperand(&access));
  if (object != e_.thread.getArg(ParamShared))
    return false;
  if (!mayBePromoted_)
    mayBePromoted_ = mayBePromoted();
  return *mayBePromoted_;
}

} // namespace heddle::simt
