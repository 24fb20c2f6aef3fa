// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

/// One masked operation, whichever of the four it is.
struct Access {
  explicit Access(llvm::IntrinsicInst &call) : call(&call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    isStore = id == llvm::Intrinsic::masked_store || id == llvm::Intrinsic::masked_scatter;
    isIndexed = id == llvm::Intrinsic::masked_gather || id == llvm::Intrinsic::masked_scatter;
    unsigned addressAt = isStore ? 1 : 0;
    address = call.getArgOperand(addressAt);
    align = call.getParamAlign(addressAt).valueOrOne();
    mask = call.getArgOperand(addressAt + 1);
    value = call.getArgOperand(isStore ? 0 : 2); // the value stored, or what inactive lanes give
    type = llvm::cast<llvm::FixedVectorType>(value->getType());
  }

  llvm::Type *element() const { return type->getElementType(); }
  unsigned lanes() const { return type->getNumElements(); }

  llvm::IntrinsicInst *call;
  bool isStore, isIndexed;
  llvm::Value *address, *mask, *value;
  llvm::Align align;
  llvm::FixedVectorType *type;
};

/// A gather or scatter one lane after the other, without a loop. LLVM would compute vectors of
/// addresses and take each out of its register; here indices go through memory, or come from where
/// they were loaded. With `bits`, of which one is set, only these lanes of a gather: the others
/// read what the first of them does. Returns what was loaded.
llvm::Value *accessInTurn(llvm::IRBuilder<> &, const Access &, llvm::Value *bits = nullptr);

} // namespace heddle::jit
