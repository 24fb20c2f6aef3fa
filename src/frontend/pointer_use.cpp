// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a pointer through all that is computed from it. It ends up in an access, or in a test for
// null, or it gets out: stored, compared with another pointer, turned into a number, given to code
// that is not seen.
#include "frontend/pointer_use.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

class PointerUses {
public:
  explicit PointerUses(const Argument &parameter) { push(&parameter); }

  bool onlyAccesses() {
    while (!work_.empty()) {
      const Value *value = work_.pop_back_val();
      for (const Use &use : value->uses())
        if (!follow(use))
          return false;
    }
    return accessed_;
  }

private:
  bool push(const Value *value) {
    if (seen_.insert(value).second)
      work_.push_back(value);
    return true;
  }
  bool access() { return accessed_ = true; }
  bool follow(const Use &);
  bool followCall(const CallBase &, const Use &);
  bool followSpill(const AllocaInst &);

  SmallVector<const Value *, 16> work_;
  SmallPtrSet<const Value *, 16> seen_;
  bool accessed_ = false;
};

/// Code without optimisation keeps parameters in local variables, which nothing else points to.
bool PointerUses::followSpill(const AllocaInst &local) {
  for (const Use &use : local.uses()) {
    const User *user = use.getUser();
    if (const auto *load = dyn_cast<LoadInst>(user)) {
      push(load);
      continue;
    }
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store || store->getPointerOperand() != &local)
      return false;
  }
  return true;
}

bool PointerUses::followCall(const CallBase &call, const Use &use) {
  if (isa<MemIntrinsic>(call))
    return access();
  if (isa<IntrinsicInst>(call))
    return call.isLifetimeStartOrEnd() || cast<IntrinsicInst>(call).isAssumeLikeIntrinsic();
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || !call.isArgOperand(&use) || callee->isVarArg())
    return false;
  return push(callee->getArg(call.getArgOperandNo(&use)));
}

bool PointerUses::follow(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return false;
  switch (user->getOpcode()) {
  case Instruction::GetElementPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
  case Instruction::Freeze:
  case Instruction::PHI:
  case Instruction::Select:
    return push(user);
  case Instruction::Load:
    return access();
  case Instruction::Store: {
    const auto *store = cast<StoreInst>(user);
    if (&use == &store->getOperandUse(StoreInst::getPointerOperandIndex()))
      return access();
    const auto *local = dyn_cast<AllocaInst>(store->getPointerOperand());
    return local && followSpill(*local);
  }
  case Instruction::AtomicRMW:
    return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex() && access();
  case Instruction::AtomicCmpXchg:
    return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex() && access();
  case Instruction::ICmp:
    return cast<ICmpInst>(user)->isEquality() &&
           isa<ConstantPointerNull>(user->getOperand(1 - use.getOperandNo()));
  case Instruction::Call:
    return followCall(cast<CallBase>(*user), use);
  default:
    return false;
  }
}

} // namespace

bool isOnlyAccessed(const Argument &parameter) { return PointerUses(parameter).onlyAccesses(); }

} // namespace heddle::frontend
