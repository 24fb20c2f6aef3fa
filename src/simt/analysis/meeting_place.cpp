// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/meeting_place.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::simt {

void PlaceNote::put(Instruction &instruction, Facts facts) const {
  Type *type = Type::getInt32Ty(instruction.getContext());
  auto number = [&](uint64_t value) {
    return ConstantAsMetadata::get(ConstantInt::get(type, value));
  };
  instruction.setMetadata(
      kind, MDNode::get(instruction.getContext(), {number(facts.place), number(facts.flags)}));
}

std::optional<PlaceNote::Facts> PlaceNote::get(const Instruction &instruction) const {
  const MDNode *node = instruction.getMetadata(kind);
  if (!node)
    return std::nullopt;
  auto number = [&](unsigned i) {
    return unsigned(mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue());
  };
  return Facts{number(0), number(1)};
}

CallInst *emitMeet(IRBuilder<> &builder, unsigned place, unsigned flags) {
  Type *i32 = builder.getInt32Ty();
  FunctionCallee meet = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      MeetName, FunctionType::get(builder.getVoidTy(), {i32, i32}, /*isVarArg=*/false));
  auto *function = cast<Function>(meet.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  return builder.CreateCall(meet, {builder.getInt32(place), builder.getInt32(flags)});
}

bool isMeet(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName() == MeetName;
}

} // namespace heddle::simt
