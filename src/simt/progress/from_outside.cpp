// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/progress/from_outside.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// A thread's own variable, which no other can write, volatile as it may be.
bool isOwn(const Value *pointer) { return isa<AllocaInst>(getUnderlyingObject(pointer)); }

bool isOrderedLoad(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic()) && !isOwn(load->getPointerOperand());
}

using FunctionSet = SmallPtrSet<const Function *, 8>;

bool readsOutside(const Function &, FunctionSet &seen);

/// Whether what a call of a function that stayed one returns may come from outside.
bool readsOutside(const CallInst &call, FunctionSet &seen) {
  switch (callKind(call)) {
  case CallKind::Cas128:
  case CallKind::LoadPair:
  case CallKind::MbarrierChange:
    return true;
  case CallKind::Device:
    return readsOutside(*call.getCalledFunction(), seen);
  case CallKind::Indirect: // any function of the type
    return any_of(*call.getModule(), [&](const Function &function) {
      return !function.isDeclaration() && function.getFunctionType() == call.getFunctionType() &&
             readsOutside(function, seen);
    });
  default:
    return false;
  }
}

bool readsOutside(const Function &function, FunctionSet &seen) {
  if (!seen.insert(&function).second)
    return false;
  return any_of(instructions(function), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return isOrderedLoad(instruction) ||
           isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction) ||
           (call && readsOutside(*call, seen));
  });
}

bool readsOutside(const CallInst &call) {
  FunctionSet seen;
  if (callKind(call) == CallKind::Indirect)
    seen.insert(call.getFunction()); // it may be the kernel, which nobody calls
  return readsOutside(call, seen);
}

bool mayBeOthers(const LoadInst &load) {
  const Value *object = getUnderlyingObject(load.getPointerOperand());
  const auto *argument = dyn_cast<Argument>(object);
  return !load.hasMetadata(LLVMContext::MD_invariant_load) && !isa<AllocaInst>(object) &&
         !(argument && argument->getName() == "launch");
}

} // namespace

bool isPause(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::nvvm_nanosleep;
}

bool isFromOutside(const Instruction &instruction, bool anyLoad) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return isOrderedLoad(*load) || (anyLoad && mayBeOthers(*load));
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return true;
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && readsOutside(*call);
}

} // namespace heddle::simt
