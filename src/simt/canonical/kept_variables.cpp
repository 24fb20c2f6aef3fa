// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/kept_variables.h"

#include "frontend/variable_note.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

/// Those that have the note.
template <typename T> SmallVector<T *, 8> noted(Function &function) {
  SmallVector<T *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (auto *one = dyn_cast<T>(&instruction); one && VariableNote::get(instruction))
      found.push_back(one);
  return found;
}

} // namespace

void hideVariables(Function &function) {
  for (auto *place : noted<GetElementPtrInst>(function)) {
    std::optional<VariableNote> note = VariableNote::get(*place);
    IRBuilder<> builder(place->getNextNode());
    Instruction *hidden = cast<Instruction>(builder.CreateStripInvariantGroup(place));
    place->replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden; });
    note->put(*hidden);
  }
}

void showVariables(Function &function) {
  for (auto *hidden : noted<IntrinsicInst>(function)) {
    std::optional<VariableNote> note = VariableNote::get(*hidden);
    IRBuilder<> builder(hidden);
    auto *place =
        GetElementPtrInst::CreateInBounds(builder.getInt8Ty(), hidden->getArgOperand(0),
                                          {builder.getInt64(0)}, "", hidden->getIterator());
    note->put(*place);
    hidden->replaceAllUsesWith(place);
    hidden->eraseFromParent();
  }
}

} // namespace heddle::simt
