// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/mbarriers.h"

#include "simt/analysis/shapes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// Of the value nothing counts but its highest bit, the phase's parity.
bool isAskedForPhase(const Value &value, SmallPtrSetImpl<const Value *> &seen) {
  unsigned bits = value.getType()->getScalarSizeInBits();
  return all_of(value.users(), [&](const User *user) {
    const APInt *constant = nullptr;
    CmpPredicate predicate;
    bool trueIfSigned = false;
    if (match(user, m_ICmp(predicate, m_Specific(&value), m_APInt(constant))))
      return isSignBitCheck(predicate, *constant, trueIfSigned);
    if (match(user, m_LShr(m_Specific(&value), m_SpecificInt(bits - 1))) ||
        match(user, m_c_And(m_Specific(&value), m_SignMask())))
      return true;
    return isa<PHINode, SelectInst, FreezeInst>(user) || match(user, m_Xor(m_Value(), m_Value()))
               ? !seen.insert(user).second || isAskedForPhase(*user, seen)
               : false;
  });
}

} // namespace

MbarrierStep mbarrierStep(const CallInst &note) {
  return MbarrierStep(cast<ConstantInt>(note.getArgOperand(1))->getZExtValue());
}

void removeNotes(Module &module, StringRef name) {
  Function *note = module.getFunction(name);
  if (!note)
    return;
  for (User *user : make_early_inc_range(note->users()))
    cast<CallInst>(user)->eraseFromParent();
  note->eraseFromParent();
}

bool keepMbarrierNotes(Module &module, bool keeps) {
  Function *note = module.getFunction(MbarrierNoteName);
  if (!note)
    return false;
  if (keeps) {
    note->setDoesNotThrow();
    note->removeFnAttr(Attribute::Convergent);
    note->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    return true;
  }
  removeNotes(module, MbarrierNoteName);
  return true;
}

bool arriveTogether(const CallInst &change, const Shapes &shapes) {
  SmallPtrSet<const Value *, 8> seen;
  return match(change.getArgOperand(3), m_Zero()) && shapes.isUniform(change.getArgOperand(0)) &&
         shapes.isUniform(change.getArgOperand(1)) && shapes.isUniform(change.getArgOperand(2)) &&
         isAskedForPhase(change, seen);
}

} // namespace heddle::simt
