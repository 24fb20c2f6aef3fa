// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/variable_note.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace heddle::frontend {

static constexpr StringLiteral Kind = "heddle.variable";

void VariableNote::put(Instruction &instruction) const {
  LLVMContext &context = instruction.getContext();
  Type *i64 = Type::getInt64Ty(context);
  auto number = [&](uint64_t value) {
    return ConstantAsMetadata::get(ConstantInt::get(i64, value));
  };
  instruction.setMetadata(Kind,
                          MDNode::get(context, {number(uint64_t(space)), number(bytes),
                                                number(isDynamic), MDString::get(context, name)}));
}

std::optional<VariableNote> VariableNote::get(const Instruction &instruction) {
  const MDNode *node = instruction.getMetadata(Kind);
  if (!node)
    return std::nullopt;
  auto number = [&](unsigned i) {
    return mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue();
  };
  return VariableNote{AccessSpace(number(0)), number(1), number(2) != 0,
                      cast<MDString>(node->getOperand(3))->getString()};
}

} // namespace heddle::frontend
