// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/registers.h"

#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace heddle::frontend::ptx {

bool Registers::close() {
  if (scopes_.size() == 1)
    return false;
  scopes_.pop_back();
  return true;
}

const Register *Registers::find(StringRef name) const {
  unsigned number;
  if (!operands_.empty() && name.starts_with("%") && !name.drop_front().getAsInteger(10, number)) {
    auto found = operands_.find(number);
    return found == operands_.end() ? nullptr : &found->second;
  }
  for (const StringMap<Register> &scope : reverse(scopes_))
    if (auto found = scope.find(name); found != scope.end())
      return &found->second;
  return outer_ ? outer_(name) : nullptr;
}

SmallVector<StringRef, 4> Registers::elementsOf(StringRef name) const {
  SmallVector<StringRef, 4> names;
  for (const char *suffix : {".x", ".y", ".z", ".w"})
    for (const StringMap<Register> &scope : reverse(scopes_))
      if (auto found = scope.find((name + suffix).str()); found != scope.end()) {
        names.push_back(found->first());
        break;
      }
  return names;
}

bool Registers::declare(IRBuilder<> &builder, StringRef name, unsigned bits) {
  auto [place, isNew] = scopes_.back().try_emplace(name);
  if (isNew)
    place->second = {makeSlot(builder, bits), nullptr, bits};
  return isNew;
}

AllocaInst *Registers::allocate(Type *type) {
  BasicBlock &block = function_.getEntryBlock(); // empty if it begins with the statement
  IRBuilder<> entry(&block, block.getFirstInsertionPt());
  AllocaInst *slot = entry.CreateAlloca(type);
  slots_.push_back(slot);
  return slot;
}

AllocaInst *Registers::makeSlot(IRBuilder<> &builder, unsigned bits) {
  AllocaInst *slot = allocate(builder.getIntNTy(bits));
  builder.CreateStore(ConstantInt::get(slot->getAllocatedType(), 0), slot);
  return slot;
}

AllocaInst *Registers::carry() {
  if (!carry_) {
    carry_ = allocate(Type::getInt1Ty(function_.getContext()));
    IRBuilder<> behind(carry_->getParent(), std::next(carry_->getIterator()));
    behind.CreateStore(behind.getFalse(), carry_);
  }
  return carry_;
}

void Registers::promote() {
  DominatorTree dominators(function_);
  PromoteMemToReg(slots_, dominators);
  slots_.clear();
  carry_ = nullptr;
}

} // namespace heddle::frontend::ptx
