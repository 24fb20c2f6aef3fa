// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/volatile_locals.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The volatile loads of the variable; none if it is stored to as volatile (it is declared so,
/// maybe to wait in a loop), or if its address goes elsewhere.
SmallVector<LoadInst *, 4> volatileLoads(AllocaInst &variable) {
  SmallVector<LoadInst *, 4> loads;
  SmallVector<Instruction *, 8> addresses = {&variable};
  while (!addresses.empty()) {
    Instruction *address = addresses.pop_back_val();
    for (User *user : address->users()) {
      auto *instruction = cast<Instruction>(user);
      if (auto *load = dyn_cast<LoadInst>(instruction)) {
        if (load->isVolatile())
          loads.push_back(load);
      } else if (isa<GetElementPtrInst, AddrSpaceCastInst>(instruction)) {
        addresses.push_back(instruction);
      } else if (auto *store = dyn_cast<StoreInst>(instruction)) {
        if (store->isVolatile() || store->getValueOperand() == address)
          return {};
      } else if (auto *memory = dyn_cast<MemIntrinsic>(instruction)) {
        if (memory->isVolatile())
          return {};
      } else if (!instruction->isLifetimeStartOrEnd()) {
        return {};
      }
    }
  }
  return loads;
}

} // namespace

void readPlainly(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      for (LoadInst *load : volatileLoads(*variable))
        load->setVolatile(false);
}

} // namespace heddle::simt
