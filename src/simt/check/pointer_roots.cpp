// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/pointer_roots.h"

#include "base/abi/check_abi.h"
#include "frontend/variable_note.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

using namespace llvm;
using frontend::VariableNote;

/// Whether an index is made of a difference of addresses.
static bool hasAddress(const Value *value, unsigned depth = 8) {
  if (isa<PtrToIntInst>(value))
    return true;
  const auto *instruction = dyn_cast<Instruction>(value);
  return instruction && depth && isa<BinaryOperator, CastInst>(instruction) &&
         any_of(instruction->operands(),
                [&](const Use &use) { return hasAddress(use.get(), depth - 1); });
}

bool forEachRoot(Value *pointer, function_ref<bool(Value *)> root) {
  SmallPtrSet<Value *, 8> seen;
  SmallVector<Value *, 8> open = {pointer};
  while (!open.empty()) {
    Value *value = open.pop_back_val();
    if (!seen.insert(value).second || isa<UndefValue, ConstantPointerNull>(value))
      continue;
    auto *gep = dyn_cast<GetElementPtrInst>(value);
    if (gep && !VariableNote::get(*gep)) {
      if (any_of(gep->indices(), [](const Use &index) { return hasAddress(index.get()); }))
        return false;
      open.push_back(gep->getPointerOperand());
    } else if (auto *phi = dyn_cast<PHINode>(value)) {
      append_range(open, phi->incoming_values());
    } else if (auto *select = dyn_cast<SelectInst>(value)) {
      open.push_back(select->getTrueValue());
      open.push_back(select->getFalseValue());
    } else if (isa<AddrSpaceCastInst, FreezeInst>(value)) {
      open.push_back(cast<Instruction>(value)->getOperand(0));
    } else if (!root(value)) {
      return false;
    }
  }
  return true;
}

size_t checkedParam(std::vector<uint32_t> &params, uint32_t offset) {
  auto known = find_if(params, [&](uint32_t word) { return offsetOfParam(word) == offset; });
  auto number = size_t(known - params.begin());
  if (known == params.end())
    params.push_back(offset);
  return number;
}

} // namespace heddle::simt
